import type { TenantReads } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { countOf, query } from '../../db/sql/statement.ts';
import type { Environment } from '../../kernel/environment.ts';
import { findInstance, type InstanceRow } from '../instances/process-instances.repository.ts';

/** Finds the instances that still exist. */
const OLDEST = query<{ at: number }>()(`SELECT created_at AS at FROM process_instances WHERE tenant_id = :tenant_id
  AND id = (SELECT min(id) FROM process_instances WHERE tenant_id = :tenant_id)`);
const AMONG = query<{ id: string }>()(
  `SELECT id FROM process_instances WHERE tenant_id = :tenant_id AND id ${inList(':ids')}`,
);

/** The creation time of the oldest instance that still exists. */
export async function oldestInstance(db: TenantReads): Promise<number | undefined> {
  return (await OLDEST.get(db, {}))?.at;
}

export async function instancesAmong(db: TenantReads, ids: readonly string[]): Promise<string[]> {
  return (await AMONG.all(db, { ids })).map(({ id }) => id);
}

const AFTER = query<{
  id: string;
}>()(`SELECT id FROM process_instances WHERE tenant_id = :tenant_id AND environment = :environment AND id > :after
  ORDER BY id LIMIT :limit + 0`);

export const countOfEnvironment = countOf(
  'FROM process_instances WHERE tenant_id = :tenant_id AND environment = :environment',
);

/** The next instances after an id, in order. */
export async function instancesAfter(
  db: TenantReads,
  environment: Environment,
  after: string,
  limit: number,
): Promise<InstanceRow[]> {
  const ids = await AFTER.all(db, { environment, after, limit });
  const rows = await Promise.all(ids.map(({ id }) => findInstance(db, id)));
  return rows.filter((row) => row !== undefined);
}
