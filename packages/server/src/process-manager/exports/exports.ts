import { Readable } from 'node:stream';
import { api, EXPORT_HOURS, type Ok } from '@grove/contract';
import { type Audit, changedBy } from '../../audit/audit.ts';
import { ensureBelowLimit } from '../../db/below-limit.ts';
import type { TenantReads } from '../../db/db.ts';
import type { JobDefinition } from '../../jobs/define-job.ts';
import { actor } from '../../kernel/actor.ts';
import { stream } from '../../kernel/answers.ts';
import { HOUR, toDtm } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import { ensurePermission, READ_PARAMETERS } from '../../kernel/ensure-permission.ts';
import { ensureUnmasked } from '../../kernel/ensure-unmasked.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Platform } from '../../kernel/feature.ts';
import { newId } from '../../kernel/ids.ts';
import { bindDeps, type Input, implement, prepared } from '../../kernel/implement.ts';
import { paging, toPage } from '../../kernel/pages.ts';
import { type MayStillCall, stillAllowed } from '../../kernel/still-allowed.ts';
import type { Vault } from '../../secrets/vault.ts';
import { findInstanceIds } from '../find-instances.ts';
import { toListItem } from '../instances/instance-view.ts';
import { findInstanceViews } from '../instances/process-instances.repository.ts';
import { type ExportFilters, filterOpener, type OpenFilters, sealFilters } from './export-filters.ts';
import {
  addExport,
  countRunning,
  type ExportRow,
  exportsOf,
  findExport,
  findPart,
  removeExport,
} from './exports.repository.ts';
import { purgeExportsJob, type RunExport, runExportJob } from './run-export.ts';
import { WRITERS } from './write-export.ts';

/** An export may read all instances of the tenant, so many exports at once would slow everybody down. */
export const MAX_RUNNING_EXPORTS = 3;
export const MAX_EXPORTS_PER_CALLER = 20;

/** By default a stream reads sixteen handlerDeps ahead, for a caller who may lose the permission meanwhile. */
const ONE_AHEAD = { highWaterMark: 1 };

export type ExportDeps = Pick<Platform, 'db' | 'jobs' | 'everyTenantId'> & {
  vault: Pick<Vault, 'sealFor' | 'openFor'>;
  audit: Pick<Audit, 'record' | 'noteRead'>;
  mayStillCall: MayStillCall;
};

type HandlerDeps = ExportDeps & { openFilters: OpenFilters; run: JobDefinition<RunExport> };
type InputOf<Name extends keyof typeof api.instanceExports> = Input<(typeof api.instanceExports)[Name]>;
type View = Ok<typeof api.instanceExports.get>;

/** Long lists of instances as a file: a job finds the instances, and the file is written while it is downloaded. */
export function openExports(deps: ExportDeps) {
  const openFilters = filterOpener(deps.vault);
  const run = runExportJob({ openFilters });
  const handlerDeps: HandlerDeps = { ...deps, openFilters, run };
  const handlers = {
    ...bindDeps(handlerDeps, { list, get, download, delete: remove }),
    // A search through many instances takes a while, and nobody should wait for its transaction.
    create: prepared<typeof api.instanceExports.create, number>(countMatches, (...call) =>
      create(handlerDeps, ...call),
    ),
  };
  return {
    handlers: { instanceExports: implement(api.instanceExports, handlers) },
    jobs: [run, purgeExportsJob(deps)],
  };
}

async function countMatches(context: Context, { body }: InputOf<'create'>): Promise<number> {
  ensureMaySeeAll(context);
  const { format: _format, ...filters } = body;
  const scope = { environment: context.principal.environment, wholeWords: false, pointer: '' } as const;
  return (await findInstanceIds(context.db, scope, filters, { size: 1, offset: 0, direction: 'DESC' })).total;
}

async function create(deps: HandlerDeps, context: Context, { body }: InputOf<'create'>, total: number): Promise<View> {
  const { db, now, principal } = context;
  const { format = 'CSV', ...filters } = body;
  const { environment } = principal;
  const id = newId(now);
  return db.write(async (tx) => {
    const count = () => countRunning(tx, { environment });
    const runningLimit = { of: ['exports', environment], limit: MAX_RUNNING_EXPORTS, count } as const;
    await ensureBelowLimit(tx, runningLimit, `${MAX_RUNNING_EXPORTS} exports are still running; try again later`);
    // The lock of that limit holds for this one as well.
    const ownExports = await exportsOf(tx, { environment, caller_id: principal.callerId });
    if (ownExports.length >= MAX_EXPORTS_PER_CALLER) {
      throw new ApiError(100065, { detail: `you have ${MAX_EXPORTS_PER_CALLER} exports; delete one of them` });
    }
    const row: ExportRow = {
      id,
      environment,
      caller_id: principal.callerId,
      format,
      state: 'RUNNING',
      filters: await sealFilters(deps.vault, tx, { id, filters }),
      after_id: '',
      num_parts: 0,
      num_rows: 0,
      total,
      truncated: 0,
      created_at: now,
      created_by: actor(principal),
      expires_at: now + EXPORT_HOURS * HOUR,
    };
    await addExport(tx, row);
    await deps.audit.record(tx, { ...changedBy(context), action: 'export.created', item: id });
    await deps.jobs.enqueue(tx, deps.run, { exportId: id });
    return viewOf(row, filters);
  });
}

async function list({ openFilters }: HandlerDeps, { db, now, principal }: Context, { query }: InputOf<'list'>) {
  const page = paging(query, {});
  const { environment, callerId } = principal;
  const all = await exportsOf(db, { environment, caller_id: callerId });
  const rows = all.filter((row) => row.expires_at > now);
  const onPage = rows.slice(page.offset, page.offset + page.size);
  const views = await Promise.all(onPage.map(async (row) => viewOf(row, await openFilters(db, row))));
  return toPage(views, rows.length, page);
}

async function get({ openFilters }: HandlerDeps, context: Context, { params }: InputOf<'get'>): Promise<View> {
  const row = await getExport(context, params.exportId);
  return viewOf(row, await openFilters(context.db, row));
}

async function download({ audit, mayStillCall }: HandlerDeps, context: Context, { params }: InputOf<'download'>) {
  ensureMaySeeAll(context);
  const row = await getExport(context, params.exportId);
  if (row.state !== 'DONE') throw new ApiError(100368);
  audit.noteRead(context, { action: 'export.downloaded', item: row.id });
  const name = `verifications-${toDtm(row.created_at).slice(0, 10)}.${row.format.toLowerCase()}`;
  const permissions = [api.instanceExports.download.permission, READ_PARAMETERS];
  const ensureStillAllowed = stillAllowed(mayStillCall, context, permissions);
  const answer = stream(
    'application/octet-stream',
    Readable.from(linesOf(context, row, ensureStillAllowed), ONE_AHEAD),
    {
      'content-disposition': `attachment; filename="${name}"`,
      'content-security-policy': 'sandbox',
    },
  );
  answer.persons = row.num_rows;
  return answer;
}

async function remove({ audit }: HandlerDeps, context: Context, { params }: InputOf<'delete'>) {
  const { id } = await getExport(context, params.exportId);
  await context.db.write(async (tx) => {
    await removeExport(tx, { id });
    await audit.record(tx, { ...changedBy(context), action: 'export.deleted', item: id });
  });
  return undefined;
}

/** Ensures that an export shows nothing that the caller may not list, and nothing that it sees masked. */
function ensureMaySeeAll({ principal }: Context): void {
  ensurePermission(principal, READ_PARAMETERS, 'an export');
  ensureUnmasked(principal, 'an export');
}

/** The export of another caller or environment is treated as missing, and so is an expired one. */
async function getExport({ db, now, principal }: Context, id: string): Promise<ExportRow> {
  const row = await findExport(db, { id });
  const isOwn = row?.environment === principal.environment && row.caller_id === principal.callerId;
  if (!row || !isOwn || row.expires_at <= now) throw new ApiError(100367);
  return row;
}

/** Writes the file a part at a time. Before each part, a slow reader must still have the permission. */
async function* linesOf(
  { db, now, tenantId }: Context,
  row: ExportRow,
  ensureStillAllowed: () => Promise<void>,
): AsyncGenerator<string> {
  const { head, rowOf, tail } = WRITERS[row.format];
  yield head;
  let isFirst = true;
  for (let part = 0; part < row.num_parts; part += 1) {
    if (part > 0) await ensureStillAllowed();
    const ids = (await findPart(db, { export_id: row.id, part })) ?? [];
    let text = '';
    for (const view of await viewsOf(db, ids, row)) {
      text += rowOf(toListItem(view, tenantId, now), isFirst);
      isFirst = false;
    }
    yield text;
  }
  yield tail;
}

async function viewsOf(db: TenantReads, ids: readonly string[], { environment }: ExportRow) {
  return (await findInstanceViews(db, ids)).filter((view) => view.environment === environment);
}

function viewOf(row: ExportRow, filters: ExportFilters): View {
  return {
    id: row.id,
    environment: row.environment,
    format: row.format,
    state: row.state,
    filters,
    rows: row.num_rows,
    total: row.total,
    truncated: row.truncated === 1,
    createdDtm: toDtm(row.created_at),
    createdBy: row.created_by,
    expiringDtm: toDtm(row.expires_at),
  };
}
