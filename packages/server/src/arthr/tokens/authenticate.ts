import { hash } from 'node:crypto';
import { boundedMap } from '../../kernel/bounded-map.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Principal } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { type PermissionSet, permissionSet } from '../../kernel/permissions.ts';
import { isUsable, type KeyInUse, type KeysInUse } from '../api-keys/keys-in-use.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { TokenClaims } from './token-claims.ts';
import { readTokenHeader, verifyToken } from './verify-token.ts';

/** Turns a bearer token into the principal who calls, or throws the problem with it. */
export type Authenticate = (token: string) => Principal | Promise<Principal>;

/**
 * A token that was verified is remembered by its hash, never by itself, until it expires. The key behind it is asked for
 * on every request all the same, so a blocked key ends its tokens.
 */
type Verified = { keyId: string; expiresAtMs: number; claims: TokenClaims; principal?: Principal; of?: KeyInUse };

const MAX_REMEMBERED = 50_000;

export type AuthenticateDeps = {
  clock: Clock;
  signing: SigningKeys;
  keys: KeysInUse;
  issuerOf(tenantId: string): string;
};

export function authenticator({ clock, signing, keys, issuerOf }: AuthenticateDeps): Authenticate {
  const remembered = boundedMap<string, Verified>(MAX_REMEMBERED);

  const verified = (token: string): Verified | Promise<Verified> => {
    const digest = hash('sha256', token, 'base64');
    const known = remembered.get(digest);
    if (known) {
      if (clock.now() < known.expiresAtMs) return known;
      remembered.delete(digest);
      throw new ApiError(279);
    }
    const parts = readTokenHeader(token);
    const check = (key: Awaited<ReturnType<SigningKeys['find']>>): Verified => {
      const claims = verifyToken(parts, { publicKey: key?.publicKey, nowMs: clock.now(), issuerOf });
      const entry = { keyId: claims.sub, expiresAtMs: claims.exp * 1000, claims };
      remembered.set(digest, entry);
      return entry;
    };
    const key = signing.find(parts.kid);
    return key instanceof Promise ? key.then(check) : check(key);
  };

  const principalOf = (entry: Verified, key: KeyInUse | undefined): Principal => {
    if (!key || !isUsable(key, clock.now())) throw new ApiError(271);
    if (key.tenantId !== entry.claims.tenantId) throw new ApiError(226);
    if (entry.principal && entry.of === key) return entry.principal;
    const tenantId = asTenantId(key.tenantId);
    entry.of = key;
    entry.principal = {
      tenantId,
      apiKeyId: key.id,
      apiKeyName: key.name,
      environment: key.environment,
      permissions: both(key.permissionSet, permissionSet(tenantId, entry.claims.permissions)),
    };
    return entry.principal;
  };

  return (token) => {
    const entry = verified(token);
    if (entry instanceof Promise) return entry.then(async (each) => principalOf(each, await keys.find(each.keyId)));
    const key = keys.find(entry.keyId);
    return key instanceof Promise ? key.then((found) => principalOf(entry, found)) : principalOf(entry, key);
  };
}

/** A token keeps no permission that its key has lost, and gains none that its key was given later. */
function both(one: PermissionSet, other: PermissionSet): PermissionSet {
  const known = new Map<string, boolean>();
  return {
    holds(permission) {
      let held = known.get(permission);
      if (held === undefined) {
        held = one.holds(permission) && other.holds(permission);
        if (known.size < 1000) known.set(permission, held);
      }
      return held;
    },
  };
}
