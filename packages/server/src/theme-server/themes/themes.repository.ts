import { sql, type TenantReads, type TenantTx, unprepared } from '../../db/db.ts';
import type { Paging } from '../../kernel/pages.ts';

export type ThemeRow = {
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

const COLUMNS = 'id, name, name_folded, tokens, created_at, created_by, last_updated_at, last_updated_by';
/** The properties a list can be sorted by. */
export const SORTABLE = { id: 'id', name: 'name_folded', lastUpdatedDtm: 'last_updated_at' } as const;

const ONE = sql(`SELECT ${COLUMNS} FROM themes WHERE tenant_id = $1 AND name = $2`);
const ONE_FOR_UPDATE = sql(`SELECT ${COLUMNS} FROM themes WHERE tenant_id = $1 AND name = $2 /*postgres FOR UPDATE*/`);
const COUNT = sql('SELECT count(*) AS total FROM themes WHERE tenant_id = $1');
const ADD = sql(`INSERT INTO themes (tenant_id, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`);
const CHANGE = sql(`UPDATE themes SET tokens = $3, last_updated_at = $4, last_updated_by = $5
  WHERE tenant_id = $1 AND id = $2`);
const REMOVE = sql('DELETE FROM themes WHERE tenant_id = $1 AND name = $2');
const ASSETS = sql(`SELECT theme_id, name, content_type, sha256 FROM theme_assets
  WHERE tenant_id = $1 AND theme_id = $2 ORDER BY name`);
const ASSET = sql(`SELECT a.theme_id, a.name, a.content_type, a.sha256, a.content FROM theme_assets a
  JOIN themes t ON t.tenant_id = a.tenant_id AND t.id = a.theme_id
  WHERE a.tenant_id = $1 AND t.name = $2 AND a.name = $3`);
const SAVE_ASSET = sql(`INSERT INTO theme_assets (tenant_id, theme_id, name, content_type, sha256, content)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant_id, theme_id, name) DO UPDATE SET
  content_type = excluded.content_type, sha256 = excluded.sha256, content = excluded.content`);

export function findTheme(db: TenantReads, name: string): Promise<ThemeRow | undefined> {
  return db.get<ThemeRow>(ONE, [db.tenantId, name]);
}

export function findThemeForUpdate(tx: TenantTx, name: string): Promise<ThemeRow | undefined> {
  return tx.get<ThemeRow>(ONE_FOR_UPDATE, [tx.tenantId, name]);
}

export async function countThemes(db: TenantReads): Promise<number> {
  return (await db.get<{ total: number }>(COUNT, [db.tenantId]))?.total ?? 0;
}

export async function addTheme(tx: TenantTx, row: ThemeRow): Promise<void> {
  await tx.run(ADD, [
    ...[tx.tenantId, row.id, row.name, row.name_folded, row.tokens],
    ...[row.created_at, row.created_by, row.last_updated_at, row.last_updated_by],
  ]);
}

export async function changeTheme(tx: TenantTx, row: ThemeRow): Promise<void> {
  await tx.run(CHANGE, [tx.tenantId, row.id, row.tokens, row.last_updated_at, row.last_updated_by]);
}

/** False if there is none. */
export async function removeTheme(tx: TenantTx, name: string): Promise<boolean> {
  return (await tx.run(REMOVE, [tx.tenantId, name])) === 1;
}

export function assetsOf(db: TenantReads, themeId: string): Promise<AssetRow[]> {
  return db.all<AssetRow>(ASSETS, [db.tenantId, themeId]);
}

export function findAsset(db: TenantReads, theme: string, name: string): Promise<StoredAsset | undefined> {
  return db.get<StoredAsset>(ASSET, [db.tenantId, theme, name]);
}

export async function saveAsset(tx: TenantTx, { theme_id, name, content_type, sha256, content }: StoredAsset) {
  await tx.run(SAVE_ASSET, [tx.tenantId, theme_id, name, content_type, sha256, content]);
}

export async function pageThemes(
  db: TenantReads,
  pattern: string | undefined,
  { orderBy, size, offset }: Paging,
): Promise<{ rows: ThemeRow[]; total: number }> {
  const where = `tenant_id = $1 AND name_folded LIKE $2 ESCAPE '\\'`;
  const values = [db.tenantId, pattern ?? '%'];
  const counted = await db.get<{ total: number }>(
    unprepared(`SELECT count(*) AS total FROM themes WHERE ${where}`),
    values,
  );
  const page = unprepared(
    `SELECT ${COLUMNS} FROM themes WHERE ${where} ORDER BY ${orderBy} LIMIT $3 + 0 OFFSET $4 + 0`,
  );
  return { rows: await db.all<ThemeRow>(page, [...values, size, offset]), total: counted?.total ?? 0 };
}
