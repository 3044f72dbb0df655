import type { api, Body, Ok } from '@grove/contract';
import { invalidInput } from '../../kernel/errors.ts';
import type { Store } from '../stores/find-store.ts';

/** The rules of TOTP policies, as pure functions. */
export type TotpPolicy = Ok<typeof api.totps.createPolicy>;
type PolicyInput = Body<typeof api.totps.updatePolicy>;

/** The values that all authenticator apps support. */
const DEFAULTS = { algorithm: 'SHA1', digits: 6, period: 30, window: 1 } as const;

export function newPolicy(store: Pick<Store, 'name'>, { name, ...input }: PolicyInput & { name: string }): TotpPolicy {
  return changedPolicy({ name, issuer: store.name, ...DEFAULTS }, input);
}

/** Removes colons: in the Key URI format, the issuer of a label ends at the first colon. */
export function withoutColon(issuer: string): string {
  return issuer.replaceAll(/\s*:\s*/g, ' ');
}

/** Changes only the fields of the input. */
export function changedPolicy(before: TotpPolicy, input: PolicyInput): TotpPolicy {
  if (input.issuer?.includes(':')) {
    throw invalidInput({ pointer: '/issuer', message: 'must not contain a colon: the label of an app ends there' });
  }
  return {
    name: before.name,
    issuer: input.issuer ?? before.issuer,
    algorithm: input.algorithm ?? before.algorithm,
    digits: input.digits ?? before.digits,
    period: input.period ?? before.period,
    window: input.window ?? before.window,
  };
}
