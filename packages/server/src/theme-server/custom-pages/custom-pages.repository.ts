import type { TenantReads, TenantTx } from '../../db/db.ts';
import { lockName } from '../../db/named-lock.ts';
import { bigint } from '../../db/sql/dialect.ts';
import { NAME_FILTER } from '../../db/sql/list.ts';
import { query, statement } from '../../db/sql/statement.ts';
import { integer, optional, type RowOf, TRACKED, table, text, WITH_NAME } from '../../db/sql/table.ts';
import { type Environment, seenFrom } from '../../kernel/environment.ts';
import { sortable } from '../../kernel/pages.ts';

export type PageStatus = 'EDITABLE' | 'DEPLOYED_ACTIVE' | 'ARCHIVED';

const pages = table('custom_pages', {
  ...WITH_NAME,
  version: integer(),
  status: text<PageStatus>(),
  description: optional(text()),
  hash: text(),
  num_files: integer(),
  total_bytes: integer(),
  ...TRACKED,
  deployed_at: optional(integer()),
});
const { columns } = pages;
export type PageRow = RowOf<typeof pages>;

export const SORTABLE = sortable('id', 'name', 'version', 'status', 'createdDtm', 'lastUpdatedDtm');

const FROM = 'FROM custom_pages';
const TOTALS = query<{ versions: number; bytes: number }>()(`SELECT count(*) AS versions,
  ${bigint('coalesce(sum(total_bytes), 0)')} AS bytes ${FROM} WHERE tenant_id = :tenant_id
  AND environment = :environment`);
const VERSIONS = query<{
  total: number;
  newest: number;
}>()(`SELECT count(*) AS total, coalesce(max(version), 0) AS newest ${FROM}
  WHERE tenant_id = :tenant_id AND environment = :environment AND name = :name`);

/** Only one transaction of a tenant can add or remove versions at a time, because versions share contents. */
export function lockPages(tx: TenantTx): void {
  lockName(tx, 'custom_pages');
}

export const findPage = pages.select(columns, 'WHERE tenant_id = :tenant_id AND id = :id').get;

/** Returns the newest deployed version that journeys of this environment show. */
export const findDeployedPage = pages.select(
  columns,
  `WHERE tenant_id = :tenant_id AND ${seenFrom(':environment')} AND name = :name AND status = 'DEPLOYED_ACTIVE'
  ORDER BY environment DESC, version DESC LIMIT 1`,
).get;

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

export const addPage = pages.insert().run;

export const setStatus = pages.update(
  ['status', 'deployed_at', 'last_updated_at', 'last_updated_by'],
  'WHERE tenant_id = :tenant_id AND id = :id',
).run;

/** False if there is no such version. */
export const setPreview = statement(`UPDATE custom_pages SET preview_hash = :hash, preview_until = :until
  WHERE tenant_id = :tenant_id AND id = :id`).changes;

export const removePage = pages.delete('WHERE tenant_id = :tenant_id AND id = :id').run;

const VISIBLE_PAGES = `WHERE tenant_id = :tenant_id AND ${seenFrom(':environment')}` as const;

/** The newest version of each page, for each environment that the caller can see. */
export const pagePages = pages.list(
  columns,
  `${VISIBLE_PAGES} AND version = (SELECT max(p.version) FROM custom_pages p
    WHERE p.tenant_id = :tenant_id AND p.environment = custom_pages.environment AND p.name = custom_pages.name)`,
  NAME_FILTER,
);

export const pageVersions = pages.list(columns, `${VISIBLE_PAGES} AND name = :name`);
