import type { TenantTx } from '../../db/db.ts';
import { boundedMap } from '../../kernel/bounded-map.ts';
import type { Environment } from '../../kernel/environment.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { type DefinitionRow, findDefinition, findTagged } from '../definitions/definitions.repository.ts';
import { compileDefinition } from '../engine/compile-definition.ts';
import { createInstance } from '../instances/create-instance.ts';
import { redirectAddress, startAddress, themeAddress } from '../instances/journey-addresses.ts';
import type { InstanceRow } from '../instances/process-instances.repository.ts';
import type { TellEvents } from '../instances/tell-events.ts';
import { findProcessSettings } from '../settings/settings.repository.ts';
import { checkParameters, checkRedirects, hasRedirects, type Parameters } from './parameter-rules.ts';
import { findToken, type TokenRow } from './process-tokens.repository.ts';
import { countUse, type TakenToken, takeUse } from './take-use.repository.ts';
import { isUsedUp, momentOf } from './token-rules.ts';

/** What the body of a creation fills in for this instance alone. */
export type Overrides = {
  parameters?: Parameters;
  externalReference?: string;
  name?: string;
  description?: string;
  notAfterDtm?: string;
};

export type FromToken = {
  tokenId: string;
  /** Undefined for the public link, which knows no environment. */
  environment: Environment | undefined;
  overrides?: Overrides;
  now: number;
  baseUrl: string;
  /** Of a link that is sent to somebody. */
  codeTtlMs?: number;
  tell?: TellEvents | undefined;
};

export type CreatedFromToken = {
  row: InstanceRow;
  /** The one-time code, for whoever redeems it at once. */
  code: string;
  /** Where the end user is to be sent. */
  redirectUrl: string;
  /** The same place at the server itself, whatever page runs the journey. */
  startUrl: string;
  themeUrl: string;
};

/** Takes one use of the token and makes an instance of it, both or neither. */
export async function createFromToken(tx: TenantTx, from: FromToken): Promise<CreatedFromToken> {
  const { tokenId, environment, overrides = {}, now, baseUrl } = from;
  const token = await takeUse(tx, tokenId, { environment, now });
  if (!token) throw whyNot(await findToken(tx, tokenId), environment, now);
  const definition = await definitionOf(tx, token);
  const parameters = await parametersOf(tx, token, withReference(overrides));
  const { row, code } = await createInstance(tx, {
    definition,
    environment: token.environment,
    parameters,
    token,
    overrides: overridesOf(overrides, now),
    now,
    codeTtlMs: from.codeTtlMs,
    ...(from.tell && { tell: from.tell }),
  });
  await countUse(tx, token);
  if (code === undefined) throw new Error('an instance that is nobody’s child has a code');
  return {
    row,
    code,
    redirectUrl: redirectAddress(row.ui_url, baseUrl, row.id, code),
    startUrl: startAddress(baseUrl, row.id, code),
    themeUrl: themeAddress(baseUrl, row.environment, compileDefinition(definition).definition.theme),
  };
}

/** Why no use could be taken; called only in that case. */
function whyNot(token: TokenRow | undefined, environment: Environment | undefined, now: number): ApiError {
  if (!token || (environment !== undefined && token.environment !== environment)) return new ApiError(100021);
  if (token.status !== 'ACTIVE') return new ApiError(100024);
  if (token.not_before_at !== null && now < token.not_before_at) return new ApiError(100045);
  if (token.not_after_at !== null && now >= token.not_after_at) return new ApiError(100044);
  return new ApiError(isUsedUp(token) ? 100046 : 100047);
}

const MAX_DEFINITIONS = 500;
/** Of all documents together. */
const MAX_CHARACTERS = 10_000_000;
const deployed = boundedMap<string, DefinitionRow>(MAX_DEFINITIONS, {
  max: MAX_CHARACTERS,
  of: ({ document }) => document.length,
});

/**
 * Taking a use of a token that is bound has shown that its definition is deployed, and nothing else of a deployed one
 * ever changes: it is read once.
 */
async function definitionOf(tx: TenantTx, token: TakenToken): Promise<DefinitionRow> {
  const { definition_id: id } = token;
  const key = `${tx.tenantId}/${id}`;
  const cached = id === null ? undefined : deployed.get(key);
  if (cached) return cached;
  const definition =
    id === null ? await findTagged(tx, token.environment, token.process_defn_tag ?? '') : await findDefinition(tx, id);
  if (definition?.status !== 'DEPLOYED_ACTIVE') throw new ApiError(100047);
  if (id !== null) deployed.set(key, definition);
  return definition;
}

/** The reference is one of the parameters, so that whatever reads parameters finds it. */
function withReference({ parameters = {}, externalReference }: Overrides): Parameters {
  if (externalReference === undefined) return parameters;
  const also = parameters.externalReference;
  if (also !== undefined && also !== externalReference) {
    throw invalidInput({ pointer: '/parameters/externalReference', message: 'must be the same as /externalReference' });
  }
  return { ...parameters, externalReference };
}

/** The parameters of the instance: those of the token, which were checked when it was made, and those of the caller. */
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
