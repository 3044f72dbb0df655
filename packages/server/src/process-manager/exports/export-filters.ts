import type { api, Body } from '@grove/contract';
import type { TenantReads, TenantTx } from '../../db/db.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { ExportRow } from './exports.repository.ts';

/** The filters of an export are sealed: a search may name a person. */
export type ExportFilters = Omit<Body<typeof api.instanceExports.create>, 'format'>;
export type OpenFilters = (db: TenantReads, row: Pick<ExportRow, 'id' | 'filters'>) => Promise<ExportFilters>;

const SUBJECT = 'exports';
const contextOf = (id: string) => `export:${id}`;

export function sealFilters(
  vault: Pick<Vault, 'sealFor'>,
  tx: TenantTx,
  { id, filters }: { id: string; filters: ExportFilters },
): Promise<Uint8Array> {
  return vault.sealFor(tx, SUBJECT, contextOf(id), Buffer.from(JSON.stringify(filters)));
}

export function filterOpener(vault: Pick<Vault, 'openFor'>): OpenFilters {
  return async (db, { id, filters }) => {
    const plain = await vault.openFor(db, SUBJECT, contextOf(id), filters);
    return JSON.parse(plain.toString('utf8')) as ExportFilters;
  };
}
