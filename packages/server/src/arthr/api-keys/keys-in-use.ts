import type { Db } from '../../db/db.ts';
import { boundedMap } from '../../kernel/bounded-map.ts';
import type { Clock } from '../../kernel/clock.ts';
import { asTenantId, type TenantId } from '../../kernel/ids.ts';
import { type PermissionSet, permissionSet } from '../../kernel/permissions.ts';
import { findApiKey, findOwner } from './api-keys.repository.ts';

/**
 * Caches the API keys that callers are using, so that a request reads no database. A cached key is read again after
 * three seconds. A key that is blocked or deleted stops working at once on the server where that happened, which calls
 * `forget`, and within five seconds on every other one, without a message between them.
 */
export type KeyInUse = {
  readonly id: string;
  readonly tenantId: TenantId;
  readonly name: string;
  readonly environment: 'live' | 'test';
  readonly active: boolean;
  /** Whether nobody may use its tenant now. */
  readonly isSuspended: boolean;
  readonly expiringAt: number | null;
  readonly secretHash: Uint8Array;
  readonly pepperVersion: number;
  readonly permissions: readonly string[];
  readonly permissionSet: PermissionSet;
};

export type KeysInUse = {
  /** The key; undefined if there is none. Not a promise if the key is in the cache. */
  find(keyId: string): KeyInUse | undefined | Promise<KeyInUse | undefined>;
  /** Drops the cached key, so that the next request reads it again. */
  forget(keyId: string): void;
};

const CACHE_MS = 3000;
const MAX_KEYS = 20_000;
/** The limit of all cached permissions together. Most keys have one; a key may have two hundred. */
const MAX_PERMISSION_CHARACTERS = 10_000_000;

type CachedKey = { at: number; key: KeyInUse | undefined };

function charactersOf({ key }: CachedKey): number {
  return key?.permissions.reduce((sum, permission) => sum + permission.length, 0) ?? 0;
}

export function openKeysInUse({ db, clock }: { db: Db; clock: Clock }): KeysInUse {
  const records = boundedMap<string, CachedKey>(MAX_KEYS, { max: MAX_PERMISSION_CHARACTERS, of: charactersOf });
  const loads = new Map<string, Promise<KeyInUse | undefined>>();

  return {
    find(keyId) {
      const record = records.get(keyId);
      // After the clock was set back, the age is negative: then the key is read again, too.
      if (record && Math.abs(clock.now() - record.at) < CACHE_MS) return record.key;
      const loading = loads.get(keyId);
      if (loading) return loading;
      const at = clock.now();
      const load: Promise<KeyInUse | undefined> = readKey(db, keyId).then(
        (key) => {
          // A load that began before `forget` may have read the old state, so its result is not cached.
          if (loads.get(keyId) === load) {
            loads.delete(keyId);
            records.set(keyId, { at, key });
          }
          return key;
        },
        (error) => {
          if (loads.get(keyId) === load) loads.delete(keyId);
          throw error;
        },
      );
      loads.set(keyId, load);
      return load;
    },
    forget(keyId) {
      records.delete(keyId);
      loads.delete(keyId);
    },
  };
}

async function readKey(db: Db, keyId: string): Promise<KeyInUse | undefined> {
  const owner = await findOwner(db.system, keyId);
  if (!owner) return undefined;
  const tenantId = asTenantId(owner.tenantId);
  const row = await findApiKey(db.of(tenantId), { id: keyId });
  if (!row) return undefined;
  const permissions = JSON.parse(row.permissions) as string[];
  return {
    id: row.id,
    tenantId,
    name: row.name,
    environment: row.environment,
    active: row.status === 'ACTIVE',
    isSuspended: owner.isSuspended,
    expiringAt: row.expiring_at,
    secretHash: row.secret_hash,
    pepperVersion: row.pepper_version,
    permissions,
    permissionSet: permissionSet(tenantId, permissions),
  };
}

export function isUsable(key: KeyInUse, now: number): boolean {
  return key.active && (key.expiringAt === null || now < key.expiringAt);
}
