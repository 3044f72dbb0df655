import type { TenantReads } from '../../db/db.ts';
import { type Environment, seenFrom } from '../../kernel/environment.ts';
import { identityStores } from './stores.table.ts';

const ANY_OF_NAME = identityStores.select(
  ['id'],
  `WHERE tenant_id = :tenant_id AND ${seenFrom(':environment')} AND name = :name LIMIT 1`,
);

/**
 * Whether a definition of the environment can name this store. A live journey uses only stores of live. A test version
 * may name a store that test does not have yet.
 */
export async function isStoreName(db: TenantReads, name: string, environment: Environment): Promise<boolean> {
  return (await ANY_OF_NAME.get(db, { name, environment })) !== undefined;
}
