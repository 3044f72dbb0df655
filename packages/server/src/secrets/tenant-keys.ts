import type { TenantReads, TenantTx } from '../db/db.ts';
import { boundedMap } from '../kernel/bounded-map.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { MasterKey } from './master-key.ts';
import { contextOf, keyFrom, newKey, seal, sealedBy, unseal, type VersionedKey } from './sealing.ts';
import { addTenantKey, findTenantKeys } from './secrets.repository.ts';

/** The keys of tenants. The master key seals them, and they seal data keys. They are cached for a minute. */
export type TenantKeys = {
  /** Returns the newest version of the key, or the given one. */
  get(db: TenantReads, version?: number): Promise<VersionedKey>;
  add(tx: TenantTx, version: number): Promise<void>;
};

export const MAX_CACHED_TENANTS = 1000;
export const CACHE_MS = 60_000;

export const tenantKeyContext = (tenantId: TenantId, version: number) => contextOf('tenant-key', tenantId, version);

export function openTenantKeys({ master, clock }: { master: MasterKey; clock: Clock }): TenantKeys {
  const tenants = boundedMap<TenantId, { at: number; keys: Map<number, VersionedKey> }>(MAX_CACHED_TENANTS);

  const load = async (db: TenantReads): Promise<Map<number, VersionedKey>> => {
    const keys = new Map<number, VersionedKey>();
    for (const { version, sealed } of await findTenantKeys(db)) {
      const opened = unseal(master.key(sealedBy(sealed)).key, tenantKeyContext(db.tenantId, version), sealed);
      keys.set(version, { version, key: keyFrom(opened) });
    }
    const remember = () => tenants.set(db.tenantId, { at: clock.now(), keys });
    // A key is cached only after the commit: if the transaction is rolled back, nobody could open what the key has
    // sealed.
    if (db.inTransaction) (db as TenantTx).afterCommit(remember);
    else remember();
    return keys;
  };

  return {
    async get(db, version) {
      const cached = tenants.get(db.tenantId);
      const fresh = cached && Math.abs(clock.now() - cached.at) < CACHE_MS;
      const cachedKey = fresh ? pick(cached.keys, version) : undefined;
      const key = cachedKey ?? pick(await load(db), version);
      if (!key) throw new Error(`tenant ${db.tenantId} has no key${version ? ` of version ${version}` : ''}`);
      return key;
    },
    async add(tx, version) {
      const sealed = seal(master.current, tenantKeyContext(tx.tenantId, version), newKey().export());
      if (!(await addTenantKey(tx, { version, sealed, created_at: clock.now() })))
        throw new Error('the tenant key is there already');
      tenants.delete(tx.tenantId);
    },
  };
}

function pick(keys: Map<number, VersionedKey>, version?: number): VersionedKey | undefined {
  return keys.get(version ?? Math.max(...keys.keys()));
}
