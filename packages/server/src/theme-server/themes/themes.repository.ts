import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import { query } from '../../db/sql/statement.ts';
import { type RowOf, TRACKED, table, text } from '../../db/sql/table.ts';
import { type Environment, seenFrom } from '../../kernel/environment.ts';

const themes = table('themes', {
  tenant_id: text(),
  environment: text<Environment>(),
  id: text(),
  name: text(),
  name_folded: text(),
  /** A JSON object. */
  tokens: text(),
  ...TRACKED,
});
const { columns } = themes;
export type ThemeRow = RowOf<typeof themes>;

export type AssetRow = { theme_id: string; name: string; content_type: string; sha256: string };
export type StoredAsset = AssetRow & { content: Uint8Array };

export const SORTABLE = { id: 'id', name: 'name_folded', lastUpdatedDtm: 'last_updated_at' } as const;

const BY_NAME = `WHERE tenant_id = :tenant_id AND ${seenFrom(':environment')} AND name = :theme
  ORDER BY environment DESC LIMIT 1` as const;

/** For the test environment, returns the test theme, or the live theme if there is no test theme. */
export const findTheme = themes.select(columns, BY_NAME).get;

export const findThemeForUpdate = themes.select(columns, `${BY_NAME} ${FOR_UPDATE}`).get;

export const countThemes = themes.count('WHERE tenant_id = :tenant_id AND environment = :environment');

export const addTheme = themes.insert().run;

export const changeTheme = themes.update(
  ['tokens', 'last_updated_at', 'last_updated_by'],
  'WHERE tenant_id = :tenant_id AND id = :id',
).run;

export const removeTheme = themes.delete('WHERE tenant_id = :tenant_id AND id = :id').run;

export const assetsOf = query<AssetRow>()(`SELECT theme_id, name, content_type, sha256 FROM theme_assets
  WHERE tenant_id = :tenant_id AND theme_id = :themeId ORDER BY name`).all;

export const findAsset =
  query<StoredAsset>()(`SELECT a.theme_id, a.name, a.content_type, a.sha256, a.content FROM theme_assets a
  WHERE a.tenant_id = :tenant_id AND a.name = :name AND a.theme_id = (SELECT id FROM themes ${BY_NAME})`).get;

export const saveAsset =
  query<StoredAsset>()(`INSERT INTO theme_assets (tenant_id, theme_id, name, content_type, sha256, content)
  VALUES (:tenant_id, :theme_id, :name, :content_type, :sha256, :content)
  ON CONFLICT (tenant_id, theme_id, name) DO UPDATE SET
  content_type = excluded.content_type, sha256 = excluded.sha256, content = excluded.content`).run;

export const pageThemes = themes.list(columns, `WHERE tenant_id = :tenant_id AND ${seenFrom(':environment')}`, {
  pattern: "AND name_folded LIKE :pattern ESCAPE '\\'",
});
