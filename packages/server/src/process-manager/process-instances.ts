import { api } from '@grove/contract';
import { type Audit, changedBy } from '../audit/audit.ts';
import type { TenantTx } from '../db/db.ts';
import { actor, callerIds } from '../kernel/actor.ts';
import { redirect } from '../kernel/answers.ts';
import { toDtm } from '../kernel/clock.ts';
import type { Context } from '../kernel/context.ts';
import { ensureUnmasked } from '../kernel/ensure-unmasked.ts';
import { ApiError, invalidInput } from '../kernel/errors.ts';
import { EVERY_ID } from '../kernel/id-range.ts';
import { bindDeps, type Input, implement, prepared } from '../kernel/implement.ts';
import { mapInSlices } from '../kernel/in-slices.ts';
import { type Paging, paging, tiesAlike, toPage } from '../kernel/pages.ts';
import { findDefinition } from './definitions/definitions.repository.ts';
import { isFinal } from './engine/state.ts';
import { filterOf, findInstanceIds } from './find-instances.ts';
import { ensureUnredacted, ensureVisible } from './instances/ensure-visible.ts';
import { pageEvents } from './instances/instance-events.repository.ts';
import { toEventView, toListItem, toPlainView, toWithParameters } from './instances/instance-view.ts';
import { listInOrder, listInstances, type Page, type Window } from './instances/list-instances.ts';
import { lockChain, lockVisible } from './instances/lock-chain.ts';
import type { NotifyEvents } from './instances/notify-events.ts';
import {
  findInstance,
  findInstanceView,
  findInstanceViews,
  type InstanceRow,
} from './instances/process-instances.repository.ts';
import { makeResumeLink } from './instances/resume-link.ts';
import { type DeleteInstanceDeps, deleteInChain } from './retention/delete-instance.ts';
import { redactInChain } from './retention/redact-instance.ts';
import { dateOfBirthOf } from './runtime/date-of-birth.ts';
import type { Drive } from './runtime/drive.ts';
import { createFromToken, type Overrides, type TokenCreation } from './tokens/create-from-token.ts';

/** The operations of process instances (specification 4.8). */
export type ProcessInstancesDeps = DeleteInstanceDeps & {
  baseUrlOf(tenantId: string): string;
  region: string;
  drive: Pick<Drive, 'apply' | 'endEarly' | 'look' | 'lookAt'>;
  notifyEvents: NotifyEvents;
  expectNotified: NonNullable<TokenCreation['expectNotified']>;
  audit: Pick<Audit, 'noteRead' | 'record'>;
  /** Called before the transaction. Refuses with 100160 if the server sends no e-mail. */
  mailTo(): Promise<QueueMail>;
};

type LinkMail = {
  kind: 'RESUME';
  url: string;
  expiresAt: number;
  to: string | undefined;
  language: string | undefined;
};

/** Queues an e-mail to the end user of a locked instance; refuses with 100161 and 100162. */
type QueueMail = (tx: TenantTx, row: InstanceRow, mail: LinkMail, now: number) => Promise<{ sentTo: string }>;

/** The orders that an index has. Ids are in the order of creation. */
const IN_ORDER_OF_CREATION = { id: 'id', createdAt: 'id', createdDtm: 'id' } as const;
const SORTABLE = { ...IN_ORDER_OF_CREATION, expiringDtm: 'expiring_at', status: 'status' } as const;
const EVENTS_SORTABLE = { sequence: 'sequence', dateTime: 'sequence' } as const;

type InputOf<Name extends keyof typeof api.processInstances> = Input<(typeof api.processInstances)[Name]>;

export function processInstanceHandlers(deps: ProcessInstancesDeps) {
  return implement(api.processInstances, {
    ...bindDeps(deps, { create, start, getWithParameters, delete: remove, redact, resume, cancel, createResumeLink }),
    // The key that counts recipients is created outside of every transaction.
    sendResumeLink: prepared(
      async ({ principal }: Context, { body }: InputOf<'sendResumeLink'>) => {
        // A masked operator could send the link to an own address and see the personal data there.
        if (body.to !== undefined) ensureUnmasked(principal, 'the journey behind the link');
        return deps.mailTo();
      },
      (context, input, queue) => sendResumeLink(deps, context, input, queue),
    ),
    get,
    list,
    search,
    listEvents,
  });
}

async function create(deps: ProcessInstancesDeps, context: Context, { query, body }: InputOf<'create'>) {
  const { row, redirectUrl, themeUrl } = await createInstance(deps, context, query.pt, body);
  return { redirectUrl, processInstanceId: row.id, themeUrl };
}

async function start(deps: ProcessInstancesDeps, context: Context, { query, body }: InputOf<'start'>) {
  const { startUrl } = await createInstance(deps, context, query.pt, body);
  return redirect(startUrl);
}

async function get(context: Context, { params }: InputOf<'get'>) {
  const row = ensureVisible(context, await findInstanceView(context.db, params.processInstanceId));
  return toPlainView(row, context.tenantId, context.now);
}

async function getWithParameters(
  deps: ProcessInstancesDeps,
  context: Context,
  { params }: InputOf<'getWithParameters'>,
) {
  const { drive, audit } = deps;
  const row = ensureUnredacted(ensureVisible(context, await findInstance(context.db, params.processInstanceId)));
  audit.noteRead(context, { action: 'instance.parametersRead', instanceId: row.id });
  const definition = await findDefinition(context.db, { id: row.definition_id });
  return toWithParameters(row, {
    tenantId: context.tenantId,
    definitionType: definition?.definition_type,
    processServerId: deps.region,
    readDateOfBirth: await dateOfBirthOf(drive, context.db, row.id),
  });
}

async function remove(deps: ProcessInstancesDeps, context: Context, { params }: InputOf<'delete'>) {
  await context.db.write(async (tx) => {
    const { now, principal, requestId, address } = context;
    const row = await lockVisible(context, tx, params.processInstanceId);
    const by = { by: actor(principal), ...callerIds(principal), requestId, address };
    await deleteInChain(tx, row, { ...by, reason: 'REQUEST', at: now }, deps);
  });
  return undefined;
}

async function redact(deps: ProcessInstancesDeps, context: Context, { params }: InputOf<'redact'>) {
  const { now, principal, requestId, address, tenantId } = context;
  return context.db.write(async (tx) => {
    const chain = await lockChain(tx, params.processInstanceId);
    ensureVisible(context, chain.at(-1));
    const by = { by: actor(principal), ...callerIds(principal), requestId, address };
    await redactInChain(tx, chain, { ...by, at: now }, deps);
    return toPlainView(ensureVisible(context, await findInstanceView(tx, params.processInstanceId)), tenantId, now);
  });
}

async function list(context: Context, { query }: InputOf<'list'>) {
  const page = paging(query, SORTABLE);
  const filter = { ...(await filterOf(context.db, context.principal.environment, query)), range: EVERY_ID };
  const window = windowOf(page);
  const result = window
    ? await listInstances(context.db, filter, window)
    : await listInOrder(context.db, filter, { ...page, orderBy: tiesAlike(page) });
  return toListPage(context, result, page);
}

async function search(context: Context, { query }: InputOf<'search'>) {
  const page = paging(query, IN_ORDER_OF_CREATION);
  const window = windowOf(page);
  if (!window) throw new Error('a search is always in the order of creation');
  const { environment, operator } = context.principal;
  // With prefixes, a masked operator could find a name letter by letter.
  const scope = { environment, wholeWords: operator?.isMasked === true, pointer: '/query' } as const;
  return toListPage(context, await findInstanceIds(context.db, scope, query, window), page);
}

async function listEvents(context: Context, { params, query }: InputOf<'listEvents'>) {
  const page = paging(query, EVENTS_SORTABLE);
  const { id, sequence } = ensureVisible(context, await findInstance(context.db, params.processInstanceId));
  return toPage((await pageEvents(context.db, id, page)).map(toEventView), sequence, page);
}

async function resume({ drive }: ProcessInstancesDeps, context: Context, { params, body }: InputOf<'resume'>) {
  const { now, tenantId } = context;
  return context.db.write(async (tx) => {
    const { id } = ensureVisible(context, await findInstance(tx, params.processInstanceId));
    const applied = await drive.apply(tx, id, { type: 'resume', variables: body.variables ?? {} }, now);
    if (applied.refusal === undefined) return toPlainView(applied.instance, tenantId, now);
    if (applied.refusal === 'badInput') throw invalidInput(...(applied.faults ?? []));
    throw new ApiError(100062);
  });
}

async function cancel({ drive }: ProcessInstancesDeps, context: Context, { params }: InputOf<'cancel'>) {
  const { now, tenantId } = context;
  return context.db.write(async (tx) => {
    const { id } = await lockVisible(context, tx, params.processInstanceId);
    const snapshot = await drive.look(tx, id);
    if (!snapshot) throw new ApiError(100022);
    const applied = await drive.endEarly(tx, snapshot, 'cancel', now);
    if (applied.refusal !== undefined) throw new ApiError(100057);
    return toPlainView(applied.instance, tenantId, now);
  });
}

async function createResumeLink(
  { baseUrlOf }: ProcessInstancesDeps,
  context: Context,
  { params }: InputOf<'createResumeLink'>,
) {
  const { now, tenantId, principal } = context;
  ensureUnmasked(principal, 'the journey behind the link');
  const { redirectUrl, expiresAt } = await context.db.write(async (tx) => {
    // The code belongs to the root, which is locked first (deadlock).
    const row = await lockVisible(context, tx, params.processInstanceId);
    if (isFinal(row.status)) throw new ApiError(100057);
    return makeResumeLink(tx, row, { now, baseUrl: baseUrlOf(tenantId) });
  });
  return { redirectUrl, expiringDtm: toDtm(expiresAt) };
}

async function sendResumeLink(
  { baseUrlOf, audit }: ProcessInstancesDeps,
  context: Context,
  { params, body: { to, language } }: InputOf<'sendResumeLink'>,
  queue: QueueMail,
) {
  const { now, tenantId } = context;
  return context.db.write(async (tx) => {
    const row = await lockVisible(context, tx, params.processInstanceId);
    if (isFinal(row.status)) throw new ApiError(100057);
    const { redirectUrl: url, expiresAt } = await makeResumeLink(tx, row, { now, baseUrl: baseUrlOf(tenantId) });
    const { sentTo } = await queue(tx, row, { kind: 'RESUME', url, expiresAt, to, language }, now);
    await audit.record(tx, { ...changedBy(context), action: 'instance.linkSent', instanceId: row.id });
    return { sentTo, expiringDtm: toDtm(expiresAt) };
  });
}

function createInstance(deps: ProcessInstancesDeps, context: Context, tokenId: string, overrides: Overrides) {
  const { tenantId, now, principal } = context;
  const { notifyEvents, expectNotified } = deps;
  const from = { tokenId, overrides, now, notifyEvents, expectNotified, environment: principal.environment };
  const baseUrl = deps.baseUrlOf(tenantId);
  return context.db.write((tx) => createFromToken(tx, { ...from, baseUrl }), { runsAgain: true });
}

/** The window of a list, the newest first by default. Undefined if the order is not that of creation. */
function windowOf({ size, offset, sorts, orderBy, after }: Paging): Window | undefined {
  const [, direction] = sorts === 0 ? ['', 'DESC'] : (/^id (ASC|DESC)/.exec(orderBy) ?? []);
  if (direction === undefined) return undefined;
  return { size, offset, direction: direction as Window['direction'], ...(after !== undefined && { after }) };
}

async function toListPage({ db, tenantId, now }: Context, { ids, total }: Page, page: Paging) {
  const rows = await findInstanceViews(db, ids);
  return toPage(await mapInSlices(db, rows, (row) => toListItem(row, tenantId, now)), total, page, ids.at(-1));
}
