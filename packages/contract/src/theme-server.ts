import { IfUnchanged } from './if-unchanged.ts';
import { del, get, group, post } from './operation.ts';
import { likeFilter, page, pageQuery } from './page.ts';
import { Environment } from './process-manager/parameters.ts';
import { DateTime, Empty, Id, listOf, mapOf, nameText, oneOf, stringMap, text, withTitle } from './schema.ts';
import { Type } from './type.ts';

/** Custom pages of the tenant, shown inside a journey (specification 4.11), and the look of its journeys. */

/** The largest archive of a custom page, as it is uploaded. */
export const MAX_PAGE_ARCHIVE_BYTES = 5 * 2 ** 20;
/** The largest logo or font of a theme. */
export const MAX_THEME_ASSET_BYTES = 512 * 2 ** 10;
/** The languages of journeys. */
export const JOURNEY_LANGUAGES = [
  'en',
  'de',
  'fr',
  'es',
  'pt',
  'it',
  'pl',
  'ar',
  'nl',
  'sv',
  'da',
  'fi',
  'nb',
  'cs',
  'ro',
  'hu',
  'el',
  'tr',
  'uk',
  'zh-Hans',
] as const;
/** The most texts of a theme in one language, and the length of the longest. */
export const MAX_THEME_TEXTS = 500;
export const MAX_THEME_TEXT_LENGTH = 1000;

const CustomPage = withTitle(
  'CustomPage',
  Type.Object({
    id: Id,
    environment: Environment,
    name: Type.String(),
    version: Type.Integer(),
    description: Type.Optional(Type.String()),
    status: oneOf('EDITABLE', 'DEPLOYED_ACTIVE', 'ARCHIVED'),
    numFiles: Type.Optional(Type.Integer()),
    bytes: Type.Optional(Type.Integer({ description: 'The size of all files together' })),
    createdDtm: DateTime,
    lastUpdatedDtm: DateTime,
    createdBy: Type.Optional(Type.String()),
    lastUpdatedBy: Type.Optional(Type.String()),
    deployedDtm: Type.Optional(DateTime),
  }),
);

const CustomPageFile = Type.Object(
  {
    path: Type.String(),
    contentType: Type.String(),
    bytes: Type.Integer(),
    sha256: Type.String(),
  },
  { title: 'CustomPageFile' },
);

const CustomPageDetails = withTitle(
  'CustomPageDetails',
  Type.Object({
    ...CustomPage.properties,
    files: listOf(CustomPageFile, 200),
    url: Type.Optional(
      Type.String({ description: 'The address in journeys; present only while the page is deployed' }),
    ),
  }),
);

const PagePreview = withTitle(
  'CustomPagePreview',
  Type.Object({
    url: Type.String({ description: 'Shows this version to everybody who has the address' }),
    expiringDtm: DateTime,
  }),
);

export const customPages = group('/api/theme-server/customPages', {
  list: get('', {
    summary: 'List custom pages, each in its newest version',
    permission: 'ThemeServer:listCustomPages',
    query: pageQuery({ name: likeFilter('pages whose name') }),
    ok: page(CustomPage),
  }),
  listVersions: get('/{name}/versions', {
    summary: 'List the versions of a custom page',
    permission: 'ThemeServer:listCustomPageVersions',
    query: pageQuery({}),
    ok: page(CustomPage),
    codes: [100042],
  }),
  createVersion: post('/{name}/versions', {
    summary: 'Upload a custom page as its next version',
    description:
      'The body is a zip with `index.html` at its top. It may contain HTML, CSS, JavaScript, JSON, PNG, JPEG, WebP ' +
      'and WOFF2. The faults of an archive are listed file by file.',
    permission: 'ThemeServer:createCustomPageVersion',
    audit: 'customPage.uploaded',
    query: Type.Object({ description: Type.Optional(text(0, 255, 'What is new in this version')) }),
    consumes: ['application/zip', 'application/x-zip-compressed'],
    maxBodyBytes: MAX_PAGE_ARCHIVE_BYTES,
    ok: CustomPageDetails,
    status: 201,
    codes: [100065, 100095],
  }),
  get: get('/{id}', {
    summary: 'Get one version of a custom page',
    permission: 'ThemeServer:getCustomPage',
    ok: CustomPageDetails,
    codes: [100042],
  }),
  getArchive: get('/{id}/archive', {
    summary: 'Get the files of a custom page as an archive',
    permission: 'ThemeServer:getCustomPageArchive',
    produces: 'application/zip',
    codes: [100042],
  }),
  preview: post('/{id}/preview', {
    summary: 'Create an address that shows one version for an hour, whatever its status',
    permission: 'ThemeServer:previewCustomPage',
    body: Empty,
    ok: PagePreview,
    codes: [100042],
  }),
  deploy: post('/{id}/deploy', {
    summary: 'Deploy a version; journeys show the newest deployed version',
    permission: 'ThemeServer:deployCustomPage',
    audit: 'customPage.deployed',
    body: Empty,
    ok: CustomPage,
    codes: [100042, 100096],
  }),
  archive: post('/{id}/archive', {
    summary: 'Withdraw a version: journeys no longer show it',
    permission: 'ThemeServer:archiveCustomPage',
    audit: 'customPage.archived',
    body: Empty,
    ok: CustomPage,
    codes: [100042],
  }),
  delete: del('/{id}', {
    summary: 'Delete a version that was never deployed',
    permission: 'ThemeServer:deleteCustomPage',
    audit: 'customPage.deleted',
    status: 204,
    codes: [100042, 100096],
  }),
});

const Colour = Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', maxLength: 7, description: 'As `#1a2b3c`' });

const Palette = Type.Object(
  {
    primary: Colour,
    onPrimary: Colour,
    background: Colour,
    surface: Colour,
    text: Colour,
    mutedText: Colour,
    border: Colour,
    error: Colour,
    success: Colour,
  },
  { title: 'ThemePalette' },
);

/** The part of a theme that is the look of a journey. */
const tokens = {
  palette: Palette,
  darkPalette: Type.Optional(Palette),
  radius: Type.Integer({ minimum: 0, maximum: 32, description: 'The radius of corners, in pixels' }),
  fontFamily: oneOf('system', 'serif', 'rounded', 'monospace', 'own'),
};

/** The part of a theme that is the language and the texts of a journey. */
const words = {
  defaultLanguage: Type.Optional({
    ...oneOf(...JOURNEY_LANGUAGES),
    description: 'The language for people who have chosen none; it comes before the language of their browser',
  }),
  texts: Type.Optional(
    mapOf(
      stringMap(MAX_THEME_TEXTS, MAX_THEME_TEXT_LENGTH),
      JOURNEY_LANGUAGES.length,
      'Texts that replace those of Grove, by language and key, such as `{ "en": { "start.title": "Welcome" } }`. Plain ' +
        'text in ICU MessageFormat with the same placeholders. `GET /api/theme-server/texts` lists the keys',
    ),
  ),
};

const Theme = withTitle(
  'Theme',
  Type.Object({
    name: Type.String(),
    environment: Environment,
    ...tokens,
    ...words,
    logoUrl: Type.Optional(Type.String()),
    fontUrl: Type.Optional(Type.String({ description: 'The font, if `fontFamily` is `own`' })),
    lastUpdatedDtm: Type.Optional(DateTime),
    lastUpdatedBy: Type.Optional(Type.String()),
  }),
);

/** A theme as anybody may read it: without the names of operators. */
export const PublicTheme = withTitle(
  'PublicTheme',
  Type.Object({
    name: Type.String(),
    ...tokens,
    ...words,
    logoUrl: Type.Optional(Type.String()),
    fontUrl: Type.Optional(Type.String()),
    builtIn: Type.Optional(
      Type.Boolean({ description: 'True if this is the theme of Grove, because the tenant has none of that name' }),
    ),
  }),
);

const ThemeInput = withTitle(
  'ThemeInput',
  Type.Object({
    name: nameText(1, 50),
    palette: Palette,
    darkPalette: Type.Optional(Palette),
    radius: Type.Optional(tokens.radius),
    fontFamily: Type.Optional(tokens.fontFamily),
    ...words,
  }),
);

const ThemeUpdate = withTitle(
  'ThemeUpdate',
  Type.Object({
    palette: Type.Optional(Palette),
    darkPalette: Type.Optional(Palette),
    radius: Type.Optional(tokens.radius),
    fontFamily: Type.Optional(tokens.fontFamily),
    defaultLanguage: Type.Optional(
      Type.Unsafe<(typeof JOURNEY_LANGUAGES)[number] | null>({
        type: ['string', 'null'],
        enum: [...JOURNEY_LANGUAGES, null],
        description: 'Null for none',
      }),
    ),
    texts: words.texts,
  }),
);

const JourneyText = Type.Object(
  {
    key: Type.String(),
    text: Type.String({ description: 'The text of Grove, in ICU MessageFormat' }),
    fillsIn: listOf(Type.String(), 20, 'The names of its placeholders'),
  },
  { title: 'JourneyText' },
);

const ofTenant = Type.Object({
  tn: Type.Optional(text(1, 40, 'The tenant, if the address does not name it')),
  environment: Type.Optional({
    ...Environment,
    description: '`test` for the theme that test journeys show; `live` unless given',
  }),
});

export const themes = group('/api/theme-server/themes', {
  list: get('', {
    summary: 'List themes',
    permission: 'ThemeServer:listThemes',
    query: pageQuery({ name: likeFilter('themes whose name') }),
    ok: page(Theme),
  }),
  create: post('', {
    summary: 'Create a theme; process definitions name it',
    description: 'Colours with less contrast than WCAG 2.2 AA requires are refused, each pair with its ratio.',
    permission: 'ThemeServer:createTheme',
    audit: 'theme.created',
    body: ThemeInput,
    ok: Theme,
    status: 201,
    codes: [100014, 100065, 100098, 100170],
  }),
  get: get('/{themeName}', {
    summary: 'Get a theme, as journeys do',
    description: 'Anybody may read it. Every tenant has `default`: that of Grove, until the tenant creates its own.',
    auth: 'public',
    query: ofTenant,
    ok: PublicTheme,
    codes: [100097],
  }),
  update: post('/{themeName}', {
    summary: 'Change a theme; members that you omit stay',
    permission: 'ThemeServer:updateTheme',
    audit: 'theme.updated',
    query: IfUnchanged,
    body: ThemeUpdate,
    ok: Theme,
    codes: [100097, 100098, 100170, 100351],
  }),
  delete: del('/{themeName}', {
    summary: 'Delete a theme; journeys that name it use the default theme',
    permission: 'ThemeServer:deleteTheme',
    audit: 'theme.deleted',
    status: 204,
    codes: [100097],
  }),
  uploadAsset: post('/{themeName}/assets/{assetName}', {
    summary: 'Upload the `logo` or the `font` of a theme',
    description: 'A logo is a PNG, JPEG or WebP, a font is WOFF2.',
    permission: 'ThemeServer:uploadThemeAsset',
    audit: 'theme.assetUploaded',
    consumes: ['image/png', 'image/jpeg', 'image/webp', 'font/woff2'],
    maxBodyBytes: MAX_THEME_ASSET_BYTES,
    ok: Theme,
    codes: [100097, 100099],
  }),
  getAsset: get('/{themeName}/assets/{assetName}', {
    summary: 'Get the logo or the font of a theme, as journeys do',
    auth: 'public',
    query: ofTenant,
    produces: 'application/octet-stream',
    codes: [100097],
  }),
});

export const journeyTexts = group('/api/theme-server/texts', {
  list: get('', {
    summary: 'List the texts of journeys that a theme may replace',
    permission: 'ThemeServer:listTexts',
    query: pageQuery({
      language: Type.Optional({ ...oneOf(...JOURNEY_LANGUAGES), description: 'Default: English' }),
      key: Type.Optional(text(0, 100, 'Only texts whose key begins with this')),
    }),
    ok: page(JourneyText),
  }),
});
