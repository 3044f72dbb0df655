import type { TenantReads } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';
import { findStore } from './stores.repository.ts';

/**
 * Whether a definition of the environment can name this store. A live journey uses only stores of live. A test version
 * may name a store that test does not have yet.
 */
export async function isStoreName(db: TenantReads, name: string, environment: Environment): Promise<boolean> {
  const live = await findStore(db, { environment: 'live', name });
  return live !== undefined || (environment === 'test' && (await findStore(db, { environment, name })) !== undefined);
}
