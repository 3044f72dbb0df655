import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import { NAME_FILTER } from '../../db/sql/list.ts';
import { query } from '../../db/sql/statement.ts';
import { bytes, type RowOf, TRACKED, table, text, WITH_NAME } from '../../db/sql/table.ts';
import { seenFrom } from '../../kernel/environment.ts';

const themes = table('themes', {
  ...WITH_NAME,
  /** A JSON object. */
  tokens: text(),
  ...TRACKED,
});
const { columns } = themes;
export type ThemeRow = RowOf<typeof themes>;

const assets = table('theme_assets', {
  tenant_id: text(),
  theme_id: text(),
  name: text(),
  content_type: text(),
  sha256: text(),
  content: bytes(),
});
export type StoredAsset = RowOf<typeof assets>;
export type AssetRow = Omit<StoredAsset, 'content'>;

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

export const assetsOf = assets.select(
  ['theme_id', 'name', 'content_type', 'sha256'],
  'WHERE tenant_id = :tenant_id AND theme_id = :themeId ORDER BY name',
).all;

export const findAsset =
  query<StoredAsset>()(`SELECT a.theme_id, a.name, a.content_type, a.sha256, a.content FROM theme_assets a
  WHERE a.tenant_id = :tenant_id AND a.name = :name AND a.theme_id = (SELECT id FROM themes ${BY_NAME})`).get;

export const saveAsset = assets.upsert(['tenant_id', 'theme_id', 'name']).run;

export const pageThemes = themes.list(
  columns,
  `WHERE tenant_id = :tenant_id AND ${seenFrom(':environment')}`,
  NAME_FILTER,
);
