import type { TenantReads, TenantTx } from '../../db/db.ts';
import { lockName } from '../../db/named-lock.ts';
import { bigint } from '../../db/sql/dialect.ts';
import { query, statement } from '../../db/sql/statement.ts';
import { integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import { type Environment, seenFrom } from '../../kernel/environment.ts';
import type { Paging } from '../../kernel/pages.ts';

export type PageStatus = 'EDITABLE' | 'DEPLOYED_ACTIVE' | 'ARCHIVED';

const pages = table('custom_pages', {
  tenant_id: text(),
  environment: text<Environment>(),
  id: text(),
  name: text(),
  name_folded: text(),
  version: integer(),
  status: text<PageStatus>(),
  description: optional(text()),
  hash: text(),
  num_files: integer(),
  total_bytes: integer(),
  created_at: integer(),
  created_by: text(),
  last_updated_at: integer(),
  last_updated_by: text(),
  deployed_at: optional(integer()),
});
const { columns } = pages;
export type PageRow = RowOf<typeof pages>;

export const SORTABLE = {
  id: 'id',
  name: 'name_folded',
  version: 'version',
  status: 'status',
  createdDtm: 'created_at',
  lastUpdatedDtm: 'last_updated_at',
} as const;

const FROM = 'FROM custom_pages';
const ONE = pages.select(columns, 'WHERE tenant_id = :tenant_id AND id = :id');
const NEWEST_DEPLOYED = pages.select(
  columns,
  `WHERE tenant_id = :tenant_id AND ${seenFrom(':environment')} AND name = :name AND status = 'DEPLOYED_ACTIVE'
  ORDER BY environment DESC, version DESC LIMIT 1`,
);
const TOTALS = query<{ versions: number; bytes: number }>()(`SELECT count(*) AS versions,
  ${bigint('coalesce(sum(total_bytes), 0)')} AS bytes ${FROM} WHERE tenant_id = :tenant_id
  AND environment = :environment`);
const VERSIONS = query<{
  total: number;
  newest: number;
}>()(`SELECT count(*) AS total, coalesce(max(version), 0) AS newest ${FROM}
  WHERE tenant_id = :tenant_id AND environment = :environment AND name = :name`);
const ADD = pages.insert();
const SET_STATUS = pages.update(
  ['status', 'deployed_at', 'last_updated_at', 'last_updated_by'],
  'WHERE tenant_id = :tenant_id AND id = :id',
);
const SET_PREVIEW = statement(`UPDATE custom_pages SET preview_hash = :hash, preview_until = :until
  WHERE tenant_id = :tenant_id AND id = :id`);
const REMOVE = pages.delete('WHERE tenant_id = :tenant_id AND id = :id');

/** Only one transaction of a tenant can add or remove versions at a time, because versions share contents. */
export async function lockPages(tx: TenantTx): Promise<void> {
  await lockName(tx, 'custom_pages');
}

export function findPage(db: TenantReads, id: string): Promise<PageRow | undefined> {
  return ONE.get(db, { id });
}

/** Returns the newest deployed version that journeys of this environment show. */
export function findDeployedPage(
  db: TenantReads,
  environment: Environment,
  name: string,
): Promise<PageRow | undefined> {
  return NEWEST_DEPLOYED.get(db, { environment, name });
}

/** The number of versions and bytes that the tenant stores in an environment. */
export async function heldByTenant(
  db: TenantReads,
  environment: Environment,
): Promise<{ versions: number; bytes: number }> {
  return (await TOTALS.get(db, { environment })) ?? { versions: 0, bytes: 0 };
}

export async function versionsOf(
  db: TenantReads,
  environment: Environment,
  name: string,
): Promise<{ total: number; newest: number }> {
  return (await VERSIONS.get(db, { environment, name })) ?? { total: 0, newest: 0 };
}

export async function addPage(tx: TenantTx, row: PageRow): Promise<void> {
  await ADD.run(tx, row);
}

export async function setStatus(tx: TenantTx, row: PageRow): Promise<void> {
  await SET_STATUS.run(tx, row);
}

/** False if there is no such version. */
export async function setPreview(
  tx: TenantTx,
  { id, hash, until }: { id: string; hash: string; until: number },
): Promise<boolean> {
  return (await SET_PREVIEW.run(tx, { id, hash, until })) === 1;
}

export async function removePage(tx: TenantTx, id: string): Promise<void> {
  await REMOVE.run(tx, { id });
}

type Listed = { rows: PageRow[]; total: number };

const VISIBLE_PAGES = `WHERE tenant_id = :tenant_id AND ${seenFrom(':environment')}` as const;
const NEWEST_VERSIONS = pages.list(
  columns,
  `${VISIBLE_PAGES} AND version = (SELECT max(p.version) FROM custom_pages p
    WHERE p.tenant_id = :tenant_id AND p.environment = custom_pages.environment AND p.name = custom_pages.name)`,
  { pattern: "AND name_folded LIKE :pattern ESCAPE '\\'" },
);
const VERSIONS_OF = pages.list(columns, `${VISIBLE_PAGES} AND name = :name`);

/** The newest version of each page, for each environment that the caller can see. */
export function pagePages(
  db: TenantReads,
  filter: { environment: Environment; pattern: string | undefined },
  paging: Paging,
): Promise<Listed> {
  return NEWEST_VERSIONS(db, filter, paging);
}

export function pageVersions(
  db: TenantReads,
  filter: { environment: Environment; name: string },
  paging: Paging,
): Promise<Listed> {
  return VERSIONS_OF(db, filter, paging);
}
