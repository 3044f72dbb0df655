import type { TenantReads } from '../../db/db.ts';
import { findStore } from './stores.repository.ts';

/**
 * Whether a definition can name this store. The environment of a later run is not known here, so a store of either is
 * enough.
 */
export async function isStoreName(db: TenantReads, name: string): Promise<boolean> {
  const live = await findStore(db, { environment: 'live', name });
  return live !== undefined || (await findStore(db, { environment: 'test', name })) !== undefined;
}
