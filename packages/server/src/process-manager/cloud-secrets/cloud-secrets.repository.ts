import type { TenantReads } from '../../db/db.ts';
import { FOR_UPDATE, inList } from '../../db/sql/dialect.ts';
import { NAME_FILTER } from '../../db/sql/list.ts';
import { query } from '../../db/sql/statement.ts';
import type { Environment } from '../../kernel/environment.ts';
import { cloudSecrets, VIEW } from './cloud-secrets.table.ts';

const OF_ENVIRONMENT = 'WHERE tenant_id = :tenant_id AND environment = :environment';
// Uses an index of these events only.
const LAST_USES = query<{ name: string; at: number }>()(`SELECT item AS name, max(at) AS at FROM audit_events
  WHERE tenant_id = :tenant_id AND environment = :environment AND action = 'cloudSecret.used' AND item ${inList(':names')}
  GROUP BY item`);

/** The last use of each secret, as far back as the audit log goes. */
export async function lastUses(
  db: TenantReads,
  environment: Environment,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  const rows = await LAST_USES.all(db, { environment, names });
  return new Map(rows.map(({ name, at }) => [name, at]));
}

export const addCloudSecret = cloudSecrets.insert().run;

/** Locks the row until the transaction ends. */
export const findCloudSecretForUpdate = cloudSecrets.select(
  cloudSecrets.columns,
  `${OF_ENVIRONMENT} AND id = :id ${FOR_UPDATE}`,
).get;

export const changeCloudSecret = cloudSecrets.update(
  ['description', 'sealed', 'last_updated_at', 'last_updated_by', 'hosts'],
  'WHERE tenant_id = :tenant_id AND id = :id',
).run;

/** False if there is no such row. */
export const removeCloudSecret = cloudSecrets.delete(`${OF_ENVIRONMENT} AND id = :id`).changes;

export const findSealedSecret = cloudSecrets.select(
  ['id', 'hosts', 'sealed'],
  `${OF_ENVIRONMENT} AND name = :name`,
).get;

export const countCloudSecrets = cloudSecrets.count(OF_ENVIRONMENT);

export const pageCloudSecrets = cloudSecrets.list(VIEW, OF_ENVIRONMENT, NAME_FILTER);
