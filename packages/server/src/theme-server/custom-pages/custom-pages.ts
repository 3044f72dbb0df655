import { api } from '@grove/contract';
import type { TenantReads, TenantTx } from '../../db/db.ts';
import { actor } from '../../kernel/actor.ts';
import { stream } from '../../kernel/answers.ts';
import { HOUR, toDtm } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import { type Environment, ensureOwn, isSeenFrom } from '../../kernel/environment.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { bindDeps, type Input, implement, prepared, type RawBody } from '../../kernel/implement.ts';
import { fold, likePattern, paging, toPage } from '../../kernel/pages.ts';
import { creation, trackedView, updateOf } from '../../kernel/tracked.ts';
import { ArchiveRefused } from './archive-refused.ts';
import type { PageFile } from './check-files.ts';
import {
  addPage,
  findPage,
  heldByTenant,
  lockPages,
  type PageRow,
  pagePages,
  pageVersions,
  removePage,
  SORTABLE,
  setPreview,
  setStatus,
  versionsOf,
} from './custom-pages.repository.ts';
import { addFiles, contentOf, type FileRow, filesOf, forgetContents } from './page-files.repository.ts';
import { hashOf, labelOf, newPreviewHash } from './page-label.ts';
import { readArchive } from './read-archive.ts';
import { packingInTurn } from './write-page-archive.ts';

/**
 * Custom pages of a tenant (specification 4.11). A page is uploaded in versions, whose files never change; a version is
 * deployed and archived. Pages belong to the environment of the key that uploaded them, like the definitions that name
 * them.
 */
export type CustomPagesDeps = {
  /** Returns the full URL of a page for its label. */
  pageUrl(tenantId: string, label: string): string;
};

export const MAX_VERSIONS_OF_A_PAGE = 200;
export const MAX_PAGE_VERSIONS_PER_ENVIRONMENT = 2000;
export const MAX_PAGE_BYTES_PER_ENVIRONMENT = 500 * 2 ** 20;
const PREVIEW_MS = HOUR;
const NAME = /^[A-Za-z0-9_][A-Za-z0-9 ._-]{0,99}$/;

type InputOf<Name extends keyof typeof api.customPages> = Input<(typeof api.customPages)[Name]>;

export function customPageHandlers(deps: CustomPagesDeps) {
  return implement(api.customPages, {
    ...bindDeps(deps, { get, preview }),
    ...bindDeps(packingInTurn(), { getArchive }),
    list,
    listVersions,
    deploy,
    archive,
    delete: remove,
    createVersion: prepared(
      (_context, { params, body }) => readUpload(params.name, body),
      async (context, { params, query }, files) => {
        const row = await context.db.write((tx) =>
          storeVersion(tx, context, { name: params.name, description: query.description || null, files }),
        );
        return toDetailedView(deps, context, row, files.map(toFileRow));
      },
    ),
  });
}

async function list({ db, principal: { environment } }: Context, { query }: InputOf<'list'>) {
  const page = paging(query, SORTABLE);
  const pattern = likePattern(query.name, '/query/name');
  const { rows, total } = await pagePages(db, { environment, pattern }, page);
  return toPage(rows.map(toPageView), total, page);
}

async function listVersions(
  { db, principal: { environment } }: Context,
  { params: { name }, query }: InputOf<'listVersions'>,
) {
  const page = paging(query, SORTABLE);
  const { rows, total } = await pageVersions(db, { environment, name }, page);
  if (total === 0) throw new ApiError(100042);
  return toPage(rows.map(toPageView), total, page);
}

async function get(deps: CustomPagesDeps, context: Context, { params }: InputOf<'get'>) {
  const row = await getPage(context.db, context.principal.environment, params.id);
  return toDetailedView(deps, context, row, await filesOf(context.db, { pageId: row.id }));
}

async function getArchive(pack: ReturnType<typeof packingInTurn>, context: Context, { params }: InputOf<'getArchive'>) {
  const { db, tenantId, principal } = context;
  const row = await getPage(db, principal.environment, params.id);
  const name = `${row.name.replaceAll(' ', '_')}-${row.version}.zip`;
  const files = (await filesOf(db, { pageId: row.id })).map((file) => ({
    ...file,
    readContent: () => contentOf(db, file),
  }));
  return stream('application/zip', pack(`${tenantId} ${principal.environment}`, files, row.created_at), {
    'content-disposition': `attachment; filename="${name}"`,
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  });
}

async function preview(
  { pageUrl }: CustomPagesDeps,
  { db, tenantId, now, principal }: Context,
  { params }: InputOf<'preview'>,
) {
  const hash = newPreviewHash();
  const until = now + PREVIEW_MS;
  await db.write(async (tx) => {
    const { id } = await getPageForUpdate(tx, principal.environment, params.id);
    await setPreview(tx, { id, hash, until });
  });
  return { url: pageUrl(tenantId, labelOf(tenantId, hash)), expiringDtm: toDtm(until) };
}

async function deploy(context: Context, { params }: InputOf<'deploy'>) {
  return context.db.write(async (tx) => {
    const before = await getPageForUpdate(tx, context.principal.environment, params.id);
    if (before.status === 'ARCHIVED') throw new ApiError(100096, { detail: 'it is archived; upload it again' });
    if (before.status === 'DEPLOYED_ACTIVE') return toPageView(before);
    const after = { ...before, ...updateOf(context), status: 'DEPLOYED_ACTIVE', deployed_at: context.now } as const;
    await setStatus(tx, after);
    return toPageView(after);
  });
}

async function archive(context: Context, { params }: InputOf<'archive'>) {
  return context.db.write(async (tx) => {
    const before = await getPageForUpdate(tx, context.principal.environment, params.id);
    if (before.status === 'ARCHIVED') return toPageView(before);
    const after = { ...before, ...updateOf(context), status: 'ARCHIVED' } as const;
    await setStatus(tx, after);
    return toPageView(after);
  });
}

async function remove(context: Context, { params }: InputOf<'delete'>) {
  await context.db.write(async (tx) => {
    const row = await getPageForUpdate(tx, context.principal.environment, params.id);
    if (row.deployed_at !== null) throw new ApiError(100096, { detail: 'it was deployed; archive it instead' });
    const files = await filesOf(tx, { pageId: row.id });
    await removePage(tx, { id: row.id });
    await forgetContents(tx, files);
  });
  return undefined;
}

/** Reads and checks the uploaded archive. It comes from a stranger, so it is unpacked before any transaction begins. */
async function readUpload(name: string, { bytes }: RawBody): Promise<PageFile[]> {
  if (!NAME.test(name)) {
    const message = 'must be at most 100 letters, digits, spaces, dots, _ and -';
    throw invalidInput({ pointer: '/params/name', message });
  }
  try {
    return await readArchive(bytes);
  } catch (error) {
    if (!(error instanceof ArchiveRefused)) throw error;
    const { path, reason, message } = error;
    throw new ApiError(100095, {
      detail: message,
      errors: [{ pointer: path === undefined ? '' : `/${path}`, message: reason }],
    });
  }
}

type NewVersion = { name: string; description: string | null; files: readonly PageFile[] };

async function storeVersion(
  tx: TenantTx,
  { now, principal }: Context,
  { name, description, files }: NewVersion,
): Promise<PageRow> {
  const { environment } = principal;
  lockPages(tx);
  const { total, newest } = await versionsOf(tx, environment, name);
  if (total >= MAX_VERSIONS_OF_A_PAGE)
    throw new ApiError(100065, { detail: `there are ${total} versions of this page` });
  const usage = await heldByTenant(tx, environment);
  const total_bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  if (
    usage.versions >= MAX_PAGE_VERSIONS_PER_ENVIRONMENT ||
    usage.bytes + total_bytes > MAX_PAGE_BYTES_PER_ENVIRONMENT
  ) {
    throw new ApiError(100065, { detail: `there are ${usage.versions} versions of pages with ${usage.bytes} bytes` });
  }
  const row: PageRow = {
    environment,
    id: newId(now),
    name,
    name_folded: fold(name),
    version: newest + 1,
    description,
    status: 'EDITABLE',
    hash: hashOf({ tenantId: tx.tenantId, environment }, files),
    num_files: files.length,
    total_bytes,
    deployed_at: null,
    ...creation(actor(principal), now),
  };
  await addPage(tx, row);
  await addFiles(tx, row.id, files);
  return row;
}

async function getPage(db: TenantReads, environment: Environment, id: string): Promise<PageRow> {
  const row = await findPage(db, { id });
  if (!row || !isSeenFrom(environment, row)) throw new ApiError(100042);
  return row;
}

/** Finds and locks a version that the caller may change. */
async function getPageForUpdate(tx: TenantTx, environment: Environment, id: string): Promise<PageRow> {
  lockPages(tx);
  const row = await getPage(tx, environment, id);
  ensureOwn(environment, row, 'custom page');
  return row;
}

function toFileRow({ path, contentType, content, sha256 }: PageFile): FileRow {
  return { path, content_type: contentType, bytes: content.length, sha256 };
}

function toDetailedView({ pageUrl }: CustomPagesDeps, { tenantId }: Context, row: PageRow, files: readonly FileRow[]) {
  return {
    ...toPageView(row),
    files: files.map(({ path, content_type, bytes, sha256 }) => ({ path, contentType: content_type, bytes, sha256 })),
    ...(row.status === 'DEPLOYED_ACTIVE' && { url: pageUrl(tenantId, labelOf(tenantId, row.hash)) }),
  };
}

function toPageView(row: PageRow) {
  return {
    id: row.id,
    environment: row.environment,
    name: row.name,
    version: row.version,
    ...(row.description !== null && { description: row.description }),
    status: row.status,
    numFiles: row.num_files,
    bytes: row.total_bytes,
    ...trackedView(row),
    ...(row.deployed_at !== null && { deployedDtm: toDtm(row.deployed_at) }),
  };
}
