import type { Db, TenantDb } from '../db/db.ts';
import type { TenantIds } from './check-seals.ts';
import { dataKeyContext } from './data-keys.ts';
import type { MasterKey } from './master-key.ts';
import { seal, sealedBy, unseal } from './sealing.ts';
import {
  countDataKeys,
  findTenantKeys,
  listSystemSecrets,
  pageDataKeys,
  resealDataKey,
  resealSystemSecret,
  resealTenantKey,
} from './secrets.repository.ts';
import { tenantKeyContext } from './tenant-keys.ts';
import { systemSecretContext, type Vault } from './vault.ts';

/**
 * Seals values again with a newer key. Every sealed value names the version of its key, so the work can be stopped at
 * any time and continued later.
 */
export type Resealed = { systemSecrets: number; tenantKeys: number };

function resealer(master: MasterKey) {
  return (context: string, sealed: Uint8Array): Uint8Array | undefined => {
    const by = sealedBy(sealed);
    if (by === master.current.version) return undefined;
    return seal(master.current, context, unseal(master.key(by).key, context, sealed));
  };
}

/** Seals all values of the master key again, with its newest version. */
export async function resealWithMasterKey(db: Db, master: MasterKey, tenantIds: TenantIds): Promise<Resealed> {
  const reseal = resealer(master);
  const done = { systemSecrets: 0, tenantKeys: 0 };
  await db.system.write(async (tx) => {
    for (const { name, version, sealed } of await listSystemSecrets(tx)) {
      const renewed = reseal(systemSecretContext(name, version), sealed);
      if (!renewed) continue;
      await resealSystemSecret(tx, { name, version, sealed: renewed });
      done.systemSecrets += 1;
    }
  });
  for await (const tenantId of tenantIds) {
    await db.of(tenantId).write(async (tx) => {
      for (const { version, sealed } of await findTenantKeys(tx)) {
        const renewed = reseal(tenantKeyContext(tenantId, version), sealed);
        if (!renewed) continue;
        await resealTenantKey(tx, { version, sealed: renewed });
        done.tenantKeys += 1;
      }
    });
  }
  return done;
}

export type OnProgress = (done: number, total: number) => void;

/** Gives the tenant a new key and seals its data keys with it. */
export async function rotateTenantKey(
  db: TenantDb,
  vault: Vault,
  onProgress?: OnProgress,
): Promise<{ version: number; dataKeys: number }> {
  const version = await db.write((tx) => vault.rotateTenantKey(tx));
  return { version, dataKeys: await resealDataKeys(db, vault, version, onProgress) };
}

/**
 * Seals the tenant's data keys with a version of its key, some hundred in each transaction. Resolves to the number of
 * keys that were sealed again.
 */
export async function resealDataKeys(
  db: TenantDb,
  vault: Vault,
  version: number,
  onProgress?: OnProgress,
): Promise<number> {
  let [resealed, examined] = [0, 0];
  const total = onProgress ? await countDataKeys(db) : 0;
  // A key that is read outside of a transaction is cached, so it is not read again for each data key.
  await vault.tenantKey(db, version);
  for (let after = '', more = true; more; ) {
    const page = await db.write(async (tx) => {
      const current = await vault.tenantKey(tx, version);
      const keys = await pageDataKeys(tx, { after });
      const old = keys.filter(({ sealed }) => sealedBy(sealed) !== version);
      for (const { subject, sealed } of old) {
        const context = dataKeyContext(tx.tenantId, subject);
        const plain = unseal((await vault.tenantKey(tx, sealedBy(sealed))).key, context, sealed);
        await resealDataKey(tx, { subject, sealed: seal(current, context, plain) });
      }
      return { resealed: old.length, looked: keys.length, last: keys.at(-1)?.subject };
    });
    resealed += page.resealed;
    examined += page.looked;
    onProgress?.(examined, total);
    after = page.last ?? '';
    more = page.last !== undefined;
  }
  return resealed;
}
