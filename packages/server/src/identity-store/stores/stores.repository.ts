import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import { NAME_FILTER } from '../../db/sql/list.ts';
import { seenFrom } from '../../kernel/environment.ts';
import { identityStores } from './stores.table.ts';

const { columns } = identityStores;
const OF_ENVIRONMENT = 'WHERE tenant_id = :tenant_id AND environment = :environment';

export const findStore = identityStores.select(columns, `${OF_ENVIRONMENT} AND name = :name`).get;

/** Locks the row until the transaction ends. */
export const findStoreForUpdate = identityStores.select(
  columns,
  `${OF_ENVIRONMENT} AND name = :name ${FOR_UPDATE}`,
).get;

export const addStore = identityStores.insert().run;

export const changeStore = identityStores.update(
  ['description', 'status', 'configuration', 'last_updated_at'],
  'WHERE tenant_id = :tenant_id AND id = :id',
).run;

export const countStores = identityStores.count(OF_ENVIRONMENT);

export const pageStores = identityStores.list(columns, OF_ENVIRONMENT, NAME_FILTER);

/**
 * Whether a definition of the environment can name this store. A live journey uses only stores of live. A test version
 * may name a store that test does not have yet.
 */
export const isStoreName = identityStores.select(
  ['id'],
  `WHERE tenant_id = :tenant_id AND ${seenFrom(':environment')} AND name = :name LIMIT 1`,
).exists;
