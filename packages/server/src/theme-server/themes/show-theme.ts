import type { api, Ok } from '@grove/contract';
import type { TenantReads } from '../../db/db.ts';
import { toDtm } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { TenantId } from '../../kernel/ids.ts';
import type { Texts } from '../texts/check-texts.ts';
import { readText } from '../texts/read-text.ts';
import { DEFAULT_THEME, DEFAULT_TOKENS, type Tokens } from './default-theme.ts';
import { type AssetRow, assetsOf, findTheme, type ThemeRow } from './themes.repository.ts';

/** A theme as everybody can read it. */
export type PublicTheme = Ok<typeof api.themes.get>;
/** A theme for a journey, with its texts already parsed. */
export type ThemeWithTexts = { theme: PublicTheme; texts?: Record<string, Record<string, unknown>> };

/** The URL of an asset contains its hash, so a cached asset is never stale. */
export function toTheme(tenantId: TenantId, row: ThemeRow, assets: readonly AssetRow[]) {
  const urlOf = (name: string) => {
    const asset = assets.find((each) => each.name === name);
    if (!asset) return undefined;
    const assetUrl = `/api/theme-server/themes/${encodeURIComponent(row.name)}/assets/${name}`;
    return `${assetUrl}?tn=${tenantId}&v=${asset.sha256.slice(0, 12)}${row.environment === 'test' ? '&environment=test' : ''}`;
  };
  const [logoUrl, fontUrl] = [urlOf('logo'), urlOf('font')];
  return {
    name: row.name,
    environment: row.environment,
    ...(JSON.parse(row.tokens) as Tokens),
    ...(logoUrl !== undefined && { logoUrl }),
    ...(fontUrl !== undefined && { fontUrl }),
    lastUpdatedDtm: toDtm(row.last_updated_at),
    lastUpdatedBy: row.last_updated_by,
  };
}

/** The built-in theme is used until the tenant has one of that name. */
export async function findPublicTheme(
  db: TenantReads | undefined,
  environment: Environment,
  name: string,
): Promise<PublicTheme | undefined> {
  const row = db && (await findTheme(db, { environment, theme: name }));
  if (db && row) {
    const {
      lastUpdatedDtm: _at,
      lastUpdatedBy: _by,
      environment: _of,
      ...theme
    } = toTheme(db.tenantId, row, await assetsOf(db, { themeId: row.id }));
    return theme;
  }
  return name === DEFAULT_THEME ? { name, ...DEFAULT_TOKENS, builtIn: true } : undefined;
}

/** Returns the default theme if the theme was deleted after a definition named it. */
export async function lookOf(db: TenantReads, environment: Environment, name: string): Promise<ThemeWithTexts> {
  const publicTheme =
    (await findPublicTheme(db, environment, name)) ?? (await findPublicTheme(db, environment, DEFAULT_THEME));
  const { texts, ...theme } = publicTheme as PublicTheme;
  return { theme, ...(texts && { texts: await readTexts(texts) }) };
}

/** A cache of parsed texts: themes rarely change, and every opened journey reads one. */
const MAX_KEPT = 100;
const textsCache = new Map<string, Promise<NonNullable<ThemeWithTexts['texts']>>>();

function readTexts(texts: Texts): Promise<NonNullable<ThemeWithTexts['texts']>> {
  const name = JSON.stringify(texts);
  let cached = textsCache.get(name);
  if (!cached) {
    cached = readAll(texts);
    textsCache.set(name, cached);
    const [oldest] = textsCache.keys();
    if (textsCache.size > MAX_KEPT && oldest !== undefined) textsCache.delete(oldest);
  }
  return cached;
}

async function readAll(texts: Texts): Promise<NonNullable<ThemeWithTexts['texts']>> {
  const all: Record<string, Record<string, unknown>> = {};
  for (const [language, own] of Object.entries(texts)) {
    const messages: Record<string, unknown> = {};
    for (const [key, text] of Object.entries(own)) messages[key] = (await readText(text)).message;
    all[language] = messages;
  }
  return all;
}

/** Whether a definition may name this theme. */
export async function isThemeName(
  db: TenantReads,
  { name, environment }: { name: string; environment: Environment },
): Promise<boolean> {
  return (await findTheme(db, { environment, theme: name })) !== undefined;
}
