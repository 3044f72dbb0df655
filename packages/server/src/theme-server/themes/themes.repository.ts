import type { TenantReads, TenantTx } from '../../db/db.ts';
import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import { query, statement } from '../../db/sql/statement.ts';
import { integer, type RowOf, table, text } from '../../db/sql/table.ts';
import { type Environment, seenFrom } from '../../kernel/environment.ts';

const themes = table('themes', {
  tenant_id: text(),
  environment: text<Environment>(),
  id: text(),
  name: text(),
  name_folded: text(),
  /** A JSON object. */
  tokens: text(),
  created_at: integer(),
  created_by: text(),
  last_updated_at: integer(),
  last_updated_by: text(),
});
const { columns } = themes;
export type ThemeRow = RowOf<typeof themes>;

export type AssetRow = { theme_id: string; name: string; content_type: string; sha256: string };
export type StoredAsset = AssetRow & { content: Uint8Array };

export const SORTABLE = { id: 'id', name: 'name_folded', lastUpdatedDtm: 'last_updated_at' } as const;

const BY_NAME = `WHERE tenant_id = :tenant_id AND ${seenFrom(':environment')} AND name = :theme
  ORDER BY environment DESC LIMIT 1` as const;
const ONE = themes.select(columns, BY_NAME);
const ONE_FOR_UPDATE = themes.select(columns, `${BY_NAME} ${FOR_UPDATE}`);
const ASSET = query<StoredAsset>()(`SELECT a.theme_id, a.name, a.content_type, a.sha256, a.content FROM theme_assets a
  WHERE a.tenant_id = :tenant_id AND a.name = :name AND a.theme_id = (SELECT id FROM themes ${BY_NAME})`);
const SAVE_ASSET = statement(`INSERT INTO theme_assets (tenant_id, theme_id, name, content_type, sha256, content)
  VALUES (:tenant_id, :theme_id, :name, :content_type, :sha256, :content)
  ON CONFLICT (tenant_id, theme_id, name) DO UPDATE SET
  content_type = excluded.content_type, sha256 = excluded.sha256, content = excluded.content`);

/** For the test environment, returns the test theme, or the live theme if there is no test theme. */
export function findTheme(db: TenantReads, environment: Environment, name: string): Promise<ThemeRow | undefined> {
  return ONE.get(db, { environment, theme: name });
}

export function findThemeForUpdate(
  tx: TenantTx,
  environment: Environment,
  name: string,
): Promise<ThemeRow | undefined> {
  return ONE_FOR_UPDATE.get(tx, { environment, theme: name });
}

export const countThemes = themes.count('WHERE tenant_id = :tenant_id AND environment = :environment');

export const addTheme = themes.insert().run;

export const changeTheme = themes.update(
  ['tokens', 'last_updated_at', 'last_updated_by'],
  'WHERE tenant_id = :tenant_id AND id = :id',
).run;

export const removeTheme = themes.delete('WHERE tenant_id = :tenant_id AND id = :id').run;

export const assetsOf = query<AssetRow>()(`SELECT theme_id, name, content_type, sha256 FROM theme_assets
  WHERE tenant_id = :tenant_id AND theme_id = :themeId ORDER BY name`).all;

export function findAsset(
  db: TenantReads,
  { environment, theme, name }: { environment: Environment; theme: string; name: string },
): Promise<StoredAsset | undefined> {
  return ASSET.get(db, { environment, theme, name });
}

export async function saveAsset(tx: TenantTx, { theme_id, name, content_type, sha256, content }: StoredAsset) {
  await SAVE_ASSET.run(tx, { theme_id, name, content_type, sha256, content });
}

export const pageThemes = themes.list(columns, `WHERE tenant_id = :tenant_id AND ${seenFrom(':environment')}`, {
  pattern: "AND name_folded LIKE :pattern ESCAPE '\\'",
});
