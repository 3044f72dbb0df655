import type { api, Body } from '@grove/contract';
import type { TenantTx } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { momentOf } from '../../kernel/moment-of.ts';
import { compiledDefinition, compiledOf } from '../definitions/compiled-definition.ts';
import { findTagged } from '../definitions/definitions.repository.ts';
import type { CompiledDefinition } from '../engine/compile-definition.ts';
import { createInstance } from '../instances/create-instance.ts';
import { redirectAddress, startAddress, themeAddress } from '../instances/journey-addresses.ts';
import type { NotifyEvents } from '../instances/notify-events.ts';
import type { InstanceRow } from '../instances/process-instances.repository.ts';
import { findProcessSettings } from '../settings/settings.repository.ts';
import { checkParameters, checkRedirects, hasRedirects, type Parameters } from './parameter-rules.ts';
import { findToken, type TokenRow } from './process-tokens.repository.ts';
import { type TakenToken, takeUse, usesToCount } from './take-use.repository.ts';
import { isUsedUp } from './token-rules.ts';

/** The members of a creation that count for this instance only. */
export type Overrides = Body<typeof api.processInstances.create>;

export type TokenCreation = {
  tokenId: string;
  /** Undefined for the public link, which has no environment. */
  environment: Environment | undefined;
  overrides?: Overrides;
  now: number;
  baseUrl: string;
  /** Set for a link that is sent. */
  codeTtlMs?: number;
  notifyEvents?: NotifyEvents | undefined;
  /** Begins to read the subscribers together with the token. */
  expectNotified?: ((tx: TenantTx) => void) | undefined;
};

export type CreatedFromToken = {
  row: InstanceRow;
  /** The one-time code, for whoever redeems it at once. */
  code: string;
  /** The address for the end user. */
  redirectUrl: string;
  /** The address at the server itself, whatever page runs the journey. */
  startUrl: string;
  themeUrl: string;
};

/** Takes a use of the token and creates an instance, both or neither. */
export async function createFromToken(tx: TenantTx, from: TokenCreation): Promise<CreatedFromToken> {
  const { tokenId, environment, overrides = {}, now, baseUrl } = from;
  from.expectNotified?.(tx);
  const token = await takeUse(tx, tokenId, { environment, now });
  if (!token) throw whyNot(await findToken(tx, tokenId), environment, now);
  const definition = await definitionOf(tx, token);
  const parameters = await parametersOf(tx, token, withReference(overrides));
  const { row, code } = await createInstance(tx, {
    definition,
    environment: token.environment,
    parameters,
    token,
    counters: usesToCount(tx, token),
    overrides: overridesOf(overrides, now),
    now,
    codeTtlMs: from.codeTtlMs,
    ...(from.notifyEvents && { notifyEvents: from.notifyEvents }),
  });
  if (code === undefined) throw new Error('the instance has no one-time code');
  return {
    row,
    code,
    redirectUrl: redirectAddress(row.ui_url, baseUrl, row.id, code),
    startUrl: startAddress(baseUrl, row.id, code),
    themeUrl: themeAddress(baseUrl, row.environment, definition.definition.theme),
  };
}

/** The error if no use could be taken. */
function whyNot(token: TokenRow | undefined, environment: Environment | undefined, now: number): ApiError {
  if (!token || (environment !== undefined && token.environment !== environment)) return new ApiError(100021);
  if (token.status !== 'ACTIVE') return new ApiError(100024);
  if (token.not_before_at !== null && now < token.not_before_at) return new ApiError(100045);
  if (token.not_after_at !== null && now >= token.not_after_at) return new ApiError(100044);
  return new ApiError(isUsedUp(token) ? 100046 : 100047);
}

/** The definition of a token. `takeUse` has checked that a bound one is deployed; for a tag, this checks it. */
async function definitionOf(tx: TenantTx, token: TakenToken): Promise<CompiledDefinition> {
  const { definition_id: id, environment, process_defn_tag: tag } = token;
  if (id !== null) return compiledDefinition(tx, id);
  const row = await findTagged(tx, { environment, name: tag ?? '' });
  if (row?.status !== 'DEPLOYED_ACTIVE') throw new ApiError(100047);
  return compiledOf(tx, row);
}

/** Adds the reference to the parameters, so that readers of parameters find it. */
function withReference({ parameters = {}, externalReference }: Overrides): Parameters {
  if (externalReference === undefined) return parameters;
  const also = parameters.externalReference;
  if (also !== undefined && also !== externalReference) {
    throw invalidInput({ pointer: '/parameters/externalReference', message: 'must be the same as /externalReference' });
  }
  return { ...parameters, externalReference };
}

/** The parameters of the instance: the checked ones of the token, and those of the caller. */
async function parametersOf(tx: TenantTx, token: TakenToken, extra: Parameters = {}): Promise<Parameters> {
  const ofToken = JSON.parse(token.parameters) as Parameters;
  if (Object.keys(extra).length === 0) return ofToken;
  checkParameters(extra, token.environment);
  const parameters = { ...ofToken, ...extra };
  checkParameters(parameters, token.environment);
  if (hasRedirects(extra)) checkRedirects(extra, (await findProcessSettings(tx, token.environment)).redirectOrigins);
  return parameters;
}

function overridesOf({ name, description, notAfterDtm }: Overrides, now: number) {
  const notAfterAt = momentOf(notAfterDtm, '/notAfterDtm');
  if (notAfterAt !== null && notAfterAt <= now) {
    throw invalidInput({ pointer: '/notAfterDtm', message: 'must be in the future' });
  }
  return {
    ...(name && { name }),
    ...(description && { description }),
    ...(notAfterAt !== null && { notAfterAt }),
  };
}
