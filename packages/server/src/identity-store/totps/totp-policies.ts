import type { api, Body, Ok } from '@grove/contract';
import type { Store } from '../stores/find-store.ts';

/** TOTP policies, as pure functions. */
export type TotpPolicy = Ok<typeof api.totps.createPolicy>;
type Given = Body<typeof api.totps.updatePolicy>;

/** What authenticator apps take without asking. */
const DEFAULTS = { algorithm: 'SHA1', digits: 6, period: 30, window: 1 } as const;

export function newPolicy(store: Pick<Store, 'name'>, { name, ...given }: Given & { name: string }): TotpPolicy {
  return changedPolicy({ name, issuer: store.name, ...DEFAULTS }, given);
}

/** Only the fields given. */
export function changedPolicy(before: TotpPolicy, given: Given): TotpPolicy {
  return {
    name: before.name,
    issuer: given.issuer ?? before.issuer,
    algorithm: given.algorithm ?? before.algorithm,
    digits: given.digits ?? before.digits,
    period: given.period ?? before.period,
    window: given.window ?? before.window,
  };
}
