import { sql, type TenantReads, type TenantTx, unprepared } from '../../db/db.ts';
import { lockName } from '../../db/named-lock.ts';
import { bigint } from '../../db/sql/dialect.ts';
import { type Environment, seenFrom } from '../../kernel/environment.ts';
import type { Paging } from '../../kernel/pages.ts';

export type PageStatus = 'EDITABLE' | 'DEPLOYED_ACTIVE' | 'ARCHIVED';

export type PageRow = {
  environment: Environment;
  id: string;
  name: string;
  name_folded: string;
  version: number;
  status: PageStatus;
  description: string | null;
  hash: string;
  num_files: number;
  total_bytes: number;
  created_at: number;
  created_by: string;
  last_updated_at: number;
  last_updated_by: string;
  deployed_at: number | null;
};

const COLUMNS = `id, name, name_folded, version, status, description, hash, num_files, total_bytes, created_at,
  created_by, last_updated_at, last_updated_by, deployed_at, environment`;

/** The properties a list can be sorted by. */
export const SORTABLE = {
  id: 'id',
  name: 'name_folded',
  version: 'version',
  status: 'status',
  createdDtm: 'created_at',
  lastUpdatedDtm: 'last_updated_at',
} as const;

const FROM = 'FROM custom_pages';
const ONE = sql(`SELECT ${COLUMNS} ${FROM} WHERE tenant_id = $1 AND id = $2`);
const NEWEST_DEPLOYED = sql(`SELECT ${COLUMNS} ${FROM}
  WHERE tenant_id = $1 AND ${seenFrom('$2')} AND name = $3 AND status = 'DEPLOYED_ACTIVE'
  ORDER BY environment DESC, version DESC LIMIT 1`);
const HELD = sql(`SELECT count(*) AS versions,
  ${bigint('coalesce(sum(total_bytes), 0)')} AS bytes ${FROM} WHERE tenant_id = $1
  AND environment = $2`);
const VERSIONS = sql(`SELECT count(*) AS total, coalesce(max(version), 0) AS newest ${FROM}
  WHERE tenant_id = $1 AND environment = $2 AND name = $3`);
const ADD = sql(`INSERT INTO custom_pages (tenant_id, ${COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`);
const SET_STATUS = sql(`UPDATE custom_pages SET status = $3, deployed_at = $4, last_updated_at = $5,
  last_updated_by = $6 WHERE tenant_id = $1 AND id = $2`);
const SET_PREVIEW = sql(`UPDATE custom_pages SET preview_hash = $3, preview_until = $4
  WHERE tenant_id = $1 AND id = $2`);
const REMOVE = sql('DELETE FROM custom_pages WHERE tenant_id = $1 AND id = $2');

/** Versions of a tenant are made and removed by one transaction after another: they share contents. */
export async function lockPages(tx: TenantTx): Promise<void> {
  await lockName(tx, 'custom_pages');
}

export function findPage(db: TenantReads, id: string): Promise<PageRow | undefined> {
  return db.get<PageRow>(ONE, [db.tenantId, id]);
}

/** What journeys of that environment show. */
export function findDeployedPage(
  db: TenantReads,
  environment: Environment,
  name: string,
): Promise<PageRow | undefined> {
  return db.get<PageRow>(NEWEST_DEPLOYED, [db.tenantId, environment, name]);
}

/** All that the tenant holds in an environment. */
export async function heldByTenant(
  db: TenantReads,
  environment: Environment,
): Promise<{ versions: number; bytes: number }> {
  return (await db.get(HELD, [db.tenantId, environment])) ?? { versions: 0, bytes: 0 };
}

export async function versionsOf(
  db: TenantReads,
  environment: Environment,
  name: string,
): Promise<{ total: number; newest: number }> {
  return (await db.get(VERSIONS, [db.tenantId, environment, name])) ?? { total: 0, newest: 0 };
}

export async function addPage(tx: TenantTx, row: PageRow): Promise<void> {
  await tx.run(ADD, [
    ...[tx.tenantId, row.id, row.name, row.name_folded, row.version, row.status, row.description, row.hash],
    ...[row.num_files, row.total_bytes, row.created_at, row.created_by, row.last_updated_at, row.last_updated_by],
    ...[row.deployed_at, row.environment],
  ]);
}

export async function setStatus(tx: TenantTx, row: PageRow): Promise<void> {
  const { id, status, deployed_at, last_updated_at, last_updated_by } = row;
  await tx.run(SET_STATUS, [tx.tenantId, id, status, deployed_at, last_updated_at, last_updated_by]);
}

/** False if there is no such version. */
export async function setPreview(
  tx: TenantTx,
  { id, hash, until }: { id: string; hash: string; until: number },
): Promise<boolean> {
  return (await tx.run(SET_PREVIEW, [tx.tenantId, id, hash, until])) === 1;
}

export async function removePage(tx: TenantTx, id: string): Promise<void> {
  await tx.run(REMOVE, [tx.tenantId, id]);
}

type Listed = { rows: PageRow[]; total: number };

const SEEN = `tenant_id = $1 AND ${seenFrom('$2')}`;

/** Each page in its newest version, of each environment that the caller sees. */
export function pagePages(
  db: TenantReads,
  { environment, pattern }: { environment: Environment; pattern: string | undefined },
  paging: Paging,
): Promise<Listed> {
  const where = `${SEEN} AND name_folded LIKE $3 ESCAPE '\\' AND version = (SELECT max(p.version)
    FROM custom_pages p WHERE p.tenant_id = $1 AND p.environment = custom_pages.environment
      AND p.name = custom_pages.name)`;
  return listed(db, where, [environment, pattern ?? '%'], paging);
}

export function pageVersions(
  db: TenantReads,
  { environment, name }: { environment: Environment; name: string },
  paging: Paging,
): Promise<Listed> {
  return listed(db, `${SEEN} AND name = $3`, [environment, name], paging);
}

async function listed(
  db: TenantReads,
  where: string,
  given: readonly [Environment, string],
  { orderBy, size, offset }: Paging,
): Promise<Listed> {
  const values = [db.tenantId, ...given];
  const counted = await db.get<{ total: number }>(
    unprepared(`SELECT count(*) AS total ${FROM} WHERE ${where}`),
    values,
  );
  const page = unprepared(`SELECT ${COLUMNS} ${FROM} WHERE ${where} ORDER BY ${orderBy} LIMIT $4 + 0 OFFSET $5 + 0`);
  return {
    rows: await db.all<PageRow>(page, [...values, size, offset]),
    total: counted?.total ?? 0,
  };
}
