import type { KeyObject } from 'node:crypto';
import { ApiError } from '../../kernel/errors.ts';
import { newId, type TenantId } from '../../kernel/ids.ts';
import type { VersionedKey } from '../../secrets/sealing.ts';
import type { AuthenticateDeps } from '../tokens/authenticate.ts';
import { signToken } from '../tokens/sign-token.ts';
import { TOKEN_AUDIENCE, TOKEN_TTL_SECONDS } from '../tokens/token-claims.ts';
import { matchesApiKey, parseApiKey } from './api-key-secret.ts';
import { isUsable, type KeyInUse } from './keys-in-use.ts';
import type { LastIssued } from './last-issued.ts';

/** Exchanges an API key for a bearer token (specification 4.1). */
export type Issue = (
  code: string | undefined,
  hostTenant: TenantId | undefined,
) => Promise<{ token: string; ttl: number }>;

export type IssueDeps = AuthenticateDeps & {
  peppers: readonly VersionedKey[];
  lastIssued: LastIssued;
};

export function issuer(deps: IssueDeps): Issue {
  const { clock, keys, peppers } = deps;
  const pepperOf = (version: number | undefined): KeyObject => {
    const pepper = peppers.find((each) => each.version === version) ?? peppers[0];
    if (!pepper) throw new Error('there is no pepper for API keys');
    return pepper.key;
  };

  const answer = (code: string, key: KeyInUse | undefined, hostTenant: TenantId | undefined) => {
    // The comparison runs for unknown keys too, so that time does not tell which key ids exist.
    const genuine = matchesApiKey(pepperOf(key?.pepperVersion), code, key?.secretHash);
    const now = clock.now();
    if (!key || !genuine || !isUsable(key, now)) throw new ApiError(271);
    if (hostTenant !== undefined && hostTenant !== key.tenantId) throw new ApiError(226);
    if (key.isSuspended) throw new ApiError(100320);
    deps.lastIssued.note(key.tenantId, key.id, now);
    return issued(deps, key, now);
  };

  return async (code, hostTenant) => {
    if (code === undefined || code === '') throw new ApiError(100008, { detail: 'send the API key in X-Api-Key' });
    const parsed = parseApiKey(code);
    if (!parsed) throw new ApiError(271);
    const key = keys.find(parsed.keyId);
    return key instanceof Promise
      ? key.then((loadedKey) => answer(code, loadedKey, hostTenant))
      : answer(code, key, hostTenant);
  };
}

async function issued({ signing, issuerOf }: IssueDeps, key: KeyInUse, now: number) {
  const seconds = Math.floor(now / 1000);
  const secondsUntilExpiry = key.expiringAt === null ? TOKEN_TTL_SECONDS : Math.ceil(key.expiringAt / 1000) - seconds;
  const ttl = Math.max(1, Math.min(TOKEN_TTL_SECONDS, secondsUntilExpiry));
  const token = await signToken(signing.current(), {
    iss: issuerOf(key.tenantId),
    sub: key.id,
    aud: TOKEN_AUDIENCE,
    iat: seconds,
    nbf: seconds,
    exp: seconds + ttl,
    jti: newId(now),
    tenantId: key.tenantId,
    permissions: key.permissions as string[],
  });
  return { token, ttl };
}
