import { hasTable, type View } from '../db/view.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { MasterKey } from './master-key.ts';
import { sealedBy, unseal } from './sealing.ts';
import { findTenantKeys, listSystemSecrets } from './secrets.repository.ts';
import { tenantKeyContext } from './tenant-keys.ts';
import { systemSecretContext } from './vault.ts';

/**
 * The number of values that the master key has sealed, the versions that did so, and the values that it does not open.
 */
export type Seals = { sealed: number; versions: Set<number>; faults: string[] };

export type TenantIds = Iterable<TenantId> | AsyncIterable<TenantId>;

/** Opens everything that the master key has sealed: the secrets of the installation and the keys of the tenants. */
export async function checkSeals(view: View, master: MasterKey, tenantIds: TenantIds): Promise<Seals> {
  const seals: Seals = { sealed: 0, versions: new Set(), faults: [] };
  const open = (what: string, context: string, sealed: Uint8Array) => {
    seals.sealed += 1;
    try {
      const by = sealedBy(sealed);
      seals.versions.add(by);
      unseal(master.key(by).key, context, sealed);
    } catch (error) {
      seals.faults.push(`${what} (${(error as Error).message})`);
    }
  };
  for (const { name, version, sealed } of await listSystemSecrets(view.system)) {
    open(name, systemSecretContext(name, version), sealed);
  }
  for await (const tenantId of tenantIds) {
    for (const { version, sealed } of await findTenantKeys(view.of(tenantId))) {
      open(`the key of tenant ${tenantId}`, tenantKeyContext(tenantId, version), sealed);
    }
  }
  return seals;
}

/** True if there is data that only a master key can open. An installation has secrets before it has tenants. */
export async function holdsSealedData(view: View): Promise<boolean> {
  return (await canHoldSealedData(view)) && (await listSystemSecrets(view.system)).length > 0;
}

/** Resolves to false for an empty database. */
export function canHoldSealedData(view: View): Promise<boolean> {
  return hasTable(view, 'system_secrets');
}
