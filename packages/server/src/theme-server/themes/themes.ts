import { createHash } from 'node:crypto';
import { api, type Body } from '@grove/contract';
import { ensureBelowLimit } from '../../db/below-limit.ts';
import type { Db, TenantReads, TenantTx } from '../../db/db.ts';
import { ensureUniqueName } from '../../db/unique-name.ts';
import { detectImageType } from '../../engines/images/detect-image-type.ts';
import { actor } from '../../kernel/actor.ts';
import { file, withHeaders } from '../../kernel/answers.ts';
import type { Context } from '../../kernel/context.ts';
import { ensureUnchanged } from '../../kernel/ensure-unchanged.ts';
import { type Environment, ensureOwn } from '../../kernel/environment.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { isTenantId, newId } from '../../kernel/ids.ts';
import { bindDeps, type Input, implement, type OpenContext, type RawBody } from '../../kernel/implement.ts';
import { fold, likePattern, paging, toPage } from '../../kernel/pages.ts';
import { creation, updateOf } from '../../kernel/tracked.ts';
import { type Texts, type TextsOf, textFaults } from '../texts/check-texts.ts';
import { contrastFaults } from './check-contrast.ts';
import { DEFAULT_TOKENS, type Tokens } from './default-theme.ts';
import { findPublicTheme, toTheme } from './show-theme.ts';
import {
  addTheme,
  assetsOf,
  changeTheme,
  countThemes,
  findAsset,
  findThemeForUpdate,
  pageThemes,
  removeTheme,
  SORTABLE,
  saveAsset,
  type ThemeRow,
} from './themes.repository.ts';

/** The themes of a tenant. Definitions name a theme; everybody who opens a journey can read it. */
export const MAX_THEMES_PER_ENVIRONMENT = 100;
const NAME = /^[A-Za-z0-9_][A-Za-z0-9 ._-]{0,49}$/;
const CACHE_HEADERS = { 'cache-control': 'public, max-age=60' } as const;
const KEPT_ASSET = { 'cache-control': 'public, max-age=3600' } as const;

type ThemesDeps = { db: Db; textsOf: TextsOf };

type InputOf<Name extends keyof typeof api.themes> = Input<(typeof api.themes)[Name]>;

export function themeHandlers(deps: ThemesDeps) {
  return implement(api.themes, {
    ...bindDeps(deps, { create, get, update, getAsset }),
    list,
    delete: remove,
    uploadAsset,
  });
}

async function list({ db: own, principal: { environment } }: Context, { query }: InputOf<'list'>) {
  const page = paging(query, SORTABLE);
  const pattern = likePattern(query.name, '/query/name');
  const { rows, total } = await pageThemes(own, { environment, pattern }, page);
  const views: ReturnType<typeof toTheme>[] = [];
  for (const row of rows) views.push(toTheme(own.tenantId, row, await assetsOf(own, { themeId: row.id })));
  return toPage(views, total, page);
}

async function create(
  { textsOf }: ThemesDeps,
  { db: own, now, principal }: Context,
  { body: { name, ...input } }: InputOf<'create'>,
) {
  if (!NAME.test(name)) {
    const message = 'must consist of letters, digits, spaces, dots, _ and -, and begin with a letter, a digit or _';
    throw invalidInput({ pointer: '/name', message });
  }
  await ensureTexts(input.texts, textsOf);
  const tokens = checked({ radius: DEFAULT_TOKENS.radius, fontFamily: DEFAULT_TOKENS.fontFamily, ...input });
  const row: ThemeRow = {
    environment: principal.environment,
    id: newId(now),
    name,
    name_folded: fold(name),
    tokens: JSON.stringify(tokens),
    ...creation(actor(principal), now),
  };
  await own.write(async (tx) => {
    const { environment } = row;
    const count = () => countThemes(tx, { environment });
    await ensureBelowLimit(tx, { of: ['themes', environment], limit: MAX_THEMES_PER_ENVIRONMENT, count });
    await ensureUniqueName('theme', name, () => addTheme(tx, row));
  });
  return toTheme(own.tenantId, row, []);
}

async function get({ db }: ThemesDeps, context: OpenContext, { params, query }: InputOf<'get'>) {
  const theme = await findPublicTheme(tenantReads(db, context, query.tn), environmentOf(query), params.themeName);
  if (!theme) throw new ApiError(100097);
  return withHeaders(theme, CACHE_HEADERS);
}

async function update({ textsOf }: ThemesDeps, context: Context, { params, query, body }: InputOf<'update'>) {
  // Checked before the transaction, because the built-in texts are read from files.
  await ensureTexts(body.texts, textsOf);
  return updateTheme(context, params.themeName, async (row) => {
    ensureUnchanged(query, row);
    return { ...row, tokens: JSON.stringify(changedTokens(row, body)) };
  });
}

async function remove({ db: own, principal }: Context, { params }: InputOf<'delete'>) {
  await own.write(async (tx) => {
    const row = await ownTheme(tx, principal.environment, params.themeName);
    await removeTheme(tx, { id: row.id });
  });
  return undefined;
}

async function uploadAsset(context: Context, { params, body }: InputOf<'uploadAsset'>) {
  const content_type = checkedAsset(params.assetName, body);
  const sha256 = createHash('sha256').update(body.bytes).digest('hex');
  const { themeName, assetName: name } = params;
  return updateTheme(context, themeName, async (row, tx) => {
    await saveAsset(tx, { theme_id: row.id, name, content_type, sha256, content: body.bytes });
    return row;
  });
}

async function getAsset({ db }: ThemesDeps, context: OpenContext, { params, query }: InputOf<'getAsset'>) {
  const reads = tenantReads(db, context, query.tn);
  const { themeName: theme, assetName: name } = params;
  const row = reads && (await findAsset(reads, { environment: environmentOf(query), theme, name }));
  if (!row) throw new ApiError(100097);
  return file(row.content_type, row.content, {
    ...KEPT_ASSET,
    etag: `"${row.sha256.slice(0, 32)}"`,
    'content-security-policy': "sandbox; default-src 'none'",
  });
}

type ThemeUpdate = Body<typeof api.themes.update>;

function changedTokens(row: ThemeRow, { defaultLanguage, ...input }: ThemeUpdate): Tokens {
  const { defaultLanguage: before, ...rest } = JSON.parse(row.tokens) as Tokens;
  const language = defaultLanguage === undefined ? before : (defaultLanguage ?? undefined);
  return checked({ ...rest, ...input, ...(language && { defaultLanguage: language }) });
}

type Change = (row: ThemeRow, tx: TenantTx) => Promise<ThemeRow>;

async function updateTheme({ db, now, principal }: Context, name: string, change: Change) {
  return db.write(async (tx) => {
    const before = await ownTheme(tx, principal.environment, name);
    const after = { ...(await change(before, tx)), ...updateOf({ principal, now }) };
    await changeTheme(tx, after);
    return toTheme(tx.tenantId, after, await assetsOf(tx, { themeId: after.id }));
  });
}

async function ownTheme(tx: TenantTx, environment: Environment, name: string): Promise<ThemeRow> {
  const row = await findThemeForUpdate(tx, { environment, theme: name });
  if (!row) throw new ApiError(100097);
  ensureOwn(environment, row, 'theme');
  return row;
}

/** A request without an API key names its environment in the query. */
function environmentOf({ environment = 'live' }: { environment?: Environment }): Environment {
  return environment;
}

/** The tenant comes from the host name, or from the query if the host does not name one. */
function tenantReads(db: Db, { hostTenant }: OpenContext, tn: string | undefined): TenantReads | undefined {
  const tenantId = hostTenant ?? (tn !== undefined && isTenantId(tn) ? tn : undefined);
  return tenantId && db.of(tenantId);
}

function checked(tokens: Tokens): Tokens {
  const faults = [
    ...contrastFaults(tokens.palette, '/palette'),
    ...(tokens.darkPalette ? contrastFaults(tokens.darkPalette, '/darkPalette') : []),
  ];
  const [first] = faults;
  if (first) throw new ApiError(100098, { errors: faults, detail: `${first.pointer} ${first.message}` });
  return tokens;
}

async function ensureTexts(texts: Texts | undefined, textsOf: TextsOf): Promise<void> {
  const faults = texts ? await textFaults(texts, textsOf) : [];
  const [first] = faults;
  if (first) throw new ApiError(100170, { errors: faults, detail: `${first.pointer} ${first.message}` });
}

/** The declared type, the bytes and the purpose of an asset must agree. */
function checkedAsset(name: string, { contentType, bytes }: RawBody): string {
  const refuse = (detail: string) => new ApiError(100099, { detail });
  if (name === 'logo') {
    const type = detectImageType(bytes);
    if (type === undefined || type !== contentType)
      throw refuse('a logo must be PNG, JPEG or WebP and have the matching content type');
    return type;
  }
  if (name !== 'font') throw refuse('it must be named logo or font');
  const isFont = contentType === 'font/woff2' && bytes.toString('latin1', 0, 4) === 'wOF2';
  if (!isFont) throw refuse('a font must be WOFF2 and have the content type font/woff2');
  return contentType;
}
