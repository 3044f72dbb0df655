import { sql, type TenantReads } from '../../db/db.ts';
import { inJson } from '../../db/sql/dialect.ts';
import type { Environment } from '../../kernel/environment.ts';
import { findInstance, type InstanceRow } from '../instances/process-instances.repository.ts';

/** Which of some instances are there, and since when there are any. */
const OLDEST = sql(`SELECT created_at AS at FROM process_instances WHERE tenant_id = $1
  AND id = (SELECT min(id) FROM process_instances WHERE tenant_id = $1)`);
const AMONG = sql(`SELECT id FROM process_instances WHERE tenant_id = $1 AND id ${inJson('$2')}`);

/** When the first instance was made that is still there. */
export async function oldestInstance(db: TenantReads): Promise<number | undefined> {
  return (await db.get<{ at: number }>(OLDEST, [db.tenantId]))?.at;
}

export async function instancesAmong(db: TenantReads, ids: readonly string[]): Promise<string[]> {
  return (await db.all<{ id: string }>(AMONG, [db.tenantId, JSON.stringify(ids)])).map(({ id }) => id);
}

const COUNT = sql('SELECT count(*) AS total FROM process_instances WHERE tenant_id = $1 AND environment = $2');
const AFTER = sql(`SELECT id FROM process_instances WHERE tenant_id = $1 AND environment = $2 AND id > $3
  ORDER BY id LIMIT $4 + 0`);

export async function countOfEnvironment(db: TenantReads, environment: Environment): Promise<number> {
  return Number((await db.get<{ total: number }>(COUNT, [db.tenantId, environment]))?.total ?? 0);
}

/** The next instances after an id, in order. */
export async function instancesAfter(
  db: TenantReads,
  environment: Environment,
  after: string,
  limit: number,
): Promise<InstanceRow[]> {
  const ids = await db.all<{ id: string }>(AFTER, [db.tenantId, environment, after, limit]);
  const rows = await Promise.all(ids.map(({ id }) => findInstance(db, id)));
  return rows.filter((row) => row !== undefined);
}
