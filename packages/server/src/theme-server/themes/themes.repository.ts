import { sql, type TenantReads, type TenantTx, unprepared } from '../../db/db.ts';
import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import { type Environment, seenFrom } from '../../kernel/environment.ts';
import type { Paging } from '../../kernel/pages.ts';

export type ThemeRow = {
  environment: Environment;
  id: string;
  name: string;
  name_folded: string;
  /** JSON. */
  tokens: string;
  created_at: number;
  created_by: string;
  last_updated_at: number;
  last_updated_by: string;
};

export type AssetRow = { theme_id: string; name: string; content_type: string; sha256: string };
export type StoredAsset = AssetRow & { content: Uint8Array };

const COLUMNS = 'environment, id, name, name_folded, tokens, created_at, created_by, last_updated_at, last_updated_by';
/** The properties a list can be sorted by. */
export const SORTABLE = { id: 'id', name: 'name_folded', lastUpdatedDtm: 'last_updated_at' } as const;

const NAMED = `tenant_id = $1 AND ${seenFrom('$2')} AND name = $3 ORDER BY environment DESC LIMIT 1`;
const ONE = sql(`SELECT ${COLUMNS} FROM themes WHERE ${NAMED}`);
const ONE_FOR_UPDATE = sql(`SELECT ${COLUMNS} FROM themes WHERE ${NAMED} ${FOR_UPDATE}`);
const COUNT = sql('SELECT count(*) AS total FROM themes WHERE tenant_id = $1 AND environment = $2');
const ADD = sql(`INSERT INTO themes (tenant_id, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`);
const CHANGE = sql(`UPDATE themes SET tokens = $3, last_updated_at = $4, last_updated_by = $5
  WHERE tenant_id = $1 AND id = $2`);
const REMOVE = sql('DELETE FROM themes WHERE tenant_id = $1 AND id = $2');
const ASSETS = sql(`SELECT theme_id, name, content_type, sha256 FROM theme_assets
  WHERE tenant_id = $1 AND theme_id = $2 ORDER BY name`);
const ASSET = sql(`SELECT a.theme_id, a.name, a.content_type, a.sha256, a.content FROM theme_assets a
  WHERE a.tenant_id = $1 AND a.name = $4 AND a.theme_id = (SELECT id FROM themes WHERE ${NAMED})`);
const SAVE_ASSET = sql(`INSERT INTO theme_assets (tenant_id, theme_id, name, content_type, sha256, content)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant_id, theme_id, name) DO UPDATE SET
  content_type = excluded.content_type, sha256 = excluded.sha256, content = excluded.content`);

/** For a test caller the test theme, and the live one if there is none. */
export function findTheme(db: TenantReads, environment: Environment, name: string): Promise<ThemeRow | undefined> {
  return db.get<ThemeRow>(ONE, [db.tenantId, environment, name]);
}

export function findThemeForUpdate(
  tx: TenantTx,
  environment: Environment,
  name: string,
): Promise<ThemeRow | undefined> {
  return tx.get<ThemeRow>(ONE_FOR_UPDATE, [tx.tenantId, environment, name]);
}

export async function countThemes(db: TenantReads, environment: Environment): Promise<number> {
  return (await db.get<{ total: number }>(COUNT, [db.tenantId, environment]))?.total ?? 0;
}

export async function addTheme(tx: TenantTx, row: ThemeRow): Promise<void> {
  await tx.run(ADD, [
    ...[tx.tenantId, row.environment, row.id, row.name, row.name_folded, row.tokens],
    ...[row.created_at, row.created_by, row.last_updated_at, row.last_updated_by],
  ]);
}

export async function changeTheme(tx: TenantTx, row: ThemeRow): Promise<void> {
  await tx.run(CHANGE, [tx.tenantId, row.id, row.tokens, row.last_updated_at, row.last_updated_by]);
}

export async function removeTheme(tx: TenantTx, id: string): Promise<void> {
  await tx.run(REMOVE, [tx.tenantId, id]);
}

export function assetsOf(db: TenantReads, themeId: string): Promise<AssetRow[]> {
  return db.all<AssetRow>(ASSETS, [db.tenantId, themeId]);
}

export function findAsset(
  db: TenantReads,
  { environment, theme, name }: { environment: Environment; theme: string; name: string },
): Promise<StoredAsset | undefined> {
  return db.get<StoredAsset>(ASSET, [db.tenantId, environment, theme, name]);
}

export async function saveAsset(tx: TenantTx, { theme_id, name, content_type, sha256, content }: StoredAsset) {
  await tx.run(SAVE_ASSET, [tx.tenantId, theme_id, name, content_type, sha256, content]);
}

export async function pageThemes(
  db: TenantReads,
  { environment, pattern }: { environment: Environment; pattern: string | undefined },
  { orderBy, size, offset }: Paging,
): Promise<{ rows: ThemeRow[]; total: number }> {
  const where = `tenant_id = $1 AND ${seenFrom('$2')} AND name_folded LIKE $3 ESCAPE '\\'`;
  const values = [db.tenantId, environment, pattern ?? '%'];
  const counted = await db.get<{ total: number }>(
    unprepared(`SELECT count(*) AS total FROM themes WHERE ${where}`),
    values,
  );
  const page = unprepared(
    `SELECT ${COLUMNS} FROM themes WHERE ${where} ORDER BY ${orderBy} LIMIT $4 + 0 OFFSET $5 + 0`,
  );
  return { rows: await db.all<ThemeRow>(page, [...values, size, offset]), total: counted?.total ?? 0 };
}
