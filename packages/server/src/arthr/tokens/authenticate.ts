import { hash } from 'node:crypto';
import { boundedMap } from '../../kernel/bounded-map.ts';
import { type Clock, SECOND } from '../../kernel/clock.ts';
import type { Credential, Principal } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { type PermissionSet, permissionSet } from '../../kernel/permissions.ts';
import { isUsable, type KeyInUse, type KeysInUse } from '../api-keys/keys-in-use.ts';
import type { SigningKeys } from './signing-keys.ts';
import { CLOCK_SKEW_SECONDS, type TokenClaims } from './token-claims.ts';
import { readTokenHeader, verifyToken } from './verify-token.ts';

/** Turns a bearer token into a credential. Throws the problem of a token that is not accepted. */
export type Authenticate = (token: string) => Credential | Promise<Credential>;

/**
 * Verified tokens are cached until they expire, under their hash, so that no token is in memory. Every request still
 * looks up the key of the token, so that a blocked key ends its tokens.
 */
const MAX_CACHED = 50_000;
/**
 * The limit of all cached tokens together. The token of a key with two hundred permissions has eight thousand
 * characters.
 */
const MAX_CHARACTERS = 50_000_000;

export type AuthenticateDeps = {
  clock: Clock;
  signing: SigningKeys;
  keys: KeysInUse;
  issuerOf(tenantId: string): string;
};

export function authenticator({ clock, signing, keys, issuerOf }: AuthenticateDeps): Authenticate {
  const credentials = boundedMap<string, { credential: Credential; length: number }>(MAX_CACHED, {
    max: MAX_CHARACTERS,
    of: ({ length }) => length,
  });

  const credentialOf = (claims: TokenClaims): Credential => {
    const expiresAtMs = claims.exp * SECOND;
    const issuedAtMs = claims.iat * SECOND;
    let cached: { key: KeyInUse; principal: Principal } | undefined;
    const principalBy = (key: KeyInUse | undefined, now: number): Principal => {
      if (!key || !isUsable(key, now)) throw new ApiError(271);
      if (key.tenantId !== claims.tenantId) throw new ApiError(226);
      if (key.isSuspended) throw new ApiError(100320);
      if (cached?.key !== key) cached = { key, principal: principalFor(key, claims) };
      return cached.principal;
    };
    return {
      principal() {
        const now = clock.now();
        if (now >= expiresAtMs) throw new ApiError(279);
        // The clock was ahead when the token was issued, and was corrected since. A cached token would otherwise live
        // longer by that time.
        if (now < issuedAtMs - CLOCK_SKEW_SECONDS * SECOND) throw new ApiError(280);
        const key = keys.find(claims.sub);
        return key instanceof Promise ? key.then((loadedKey) => principalBy(loadedKey, now)) : principalBy(key, now);
      },
    };
  };

  return (token) => {
    const digest = hash('sha256', token, 'base64');
    const cached = credentials.get(digest);
    if (cached) return cached.credential;
    const parts = readTokenHeader(token);
    const check = (key: Awaited<ReturnType<SigningKeys['find']>>): Credential => {
      const credential = credentialOf(verifyToken(parts, { publicKey: key?.publicKey, nowMs: clock.now(), issuerOf }));
      credentials.set(digest, { credential, length: token.length });
      return credential;
    };
    const key = signing.find(parts.kid);
    return key instanceof Promise ? key.then(check) : check(key);
  };
}

function principalFor(key: KeyInUse, claims: TokenClaims): Principal {
  const tenantId = asTenantId(key.tenantId);
  return {
    tenantId,
    callerId: key.id,
    callerName: key.name,
    environment: key.environment,
    expiresAt: claims.exp * SECOND,
    permissions: both(key.permissionSet, permissionSet(tenantId, claims.permissions)),
  };
}

/**
 * Holds a permission only if both do: a token loses the permissions that its key has lost, and does not gain new ones.
 */
function both(one: PermissionSet, other: PermissionSet): PermissionSet {
  const cache = new Map<string, boolean>();
  return {
    holds(permission) {
      let isHeld = cache.get(permission);
      if (isHeld === undefined) {
        isHeld = one.holds(permission) && other.holds(permission);
        if (cache.size < 1000) cache.set(permission, isHeld);
      }
      return isHeld;
    },
  };
}
