import { api, type Body, MAX_FOUND_OF_PERSON, type Ok } from '@grove/contract';
import { changedBy } from '../../audit/audit.ts';
import { type CountLimit, ensureBelowLimit } from '../../db/below-limit.ts';
import type { TenantReads } from '../../db/db.ts';
import { definePurge, type PurgeDeps } from '../../jobs/define-purge.ts';
import { actor, callerIds } from '../../kernel/actor.ts';
import { stream } from '../../kernel/answers.ts';
import { DAY, toDtm } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import type { Environment } from '../../kernel/environment.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import type { Platform } from '../../kernel/feature.ts';
import { newId } from '../../kernel/ids.ts';
import { implement, prepared } from '../../kernel/implement.ts';
import { type MayStillCall, stillAllowed } from '../../kernel/still-allowed.ts';
import { type ArchivePersonDeps, archivePerson } from './archive-person.ts';
import {
  addRequest,
  countOpenRequests,
  findRequest,
  itemsOf,
  type PersonRequestRow,
  removeOldFind,
} from './person-requests.repository.ts';
import { byKind, type RunDeps, requestSubject, runRequestJob, SELECTORS } from './run-request.ts';

/** Finds, archives or erases everything about one person. An erasure ends with one receipt. */
export type PersonRequestDeps = RunDeps &
  ArchivePersonDeps &
  Pick<Platform, 'db' | 'vault' | 'jobs' | 'audit' | 'everyTenantId'> & {
    mayStillCall: MayStillCall;
  };

type View = Ok<typeof api.personRequests.get>;
type NewRequest = Body<typeof api.personRequests.find>;

/** Each request decrypts the data of every person of the tenant, so many at once would delay all other callers. */
export const MAX_OPEN_REQUESTS = 10;
/** How long the result of a FIND can be downloaded. */
const FINDS_KEPT_DAYS = 7;

export function openPersonRequests(deps: PersonRequestDeps) {
  const { jobs, vault, audit } = deps;
  const run = runRequestJob(deps);

  const create = async (
    context: Context,
    { action, body, total }: { action: PersonRequestRow['action']; body: NewRequest; total: number },
  ): Promise<View> => {
    const { reference, ...selectors } = body;
    const { db, now, principal } = context;
    const id = newId(now);
    return db.write(async (tx) => {
      await ensureBelowLimit(tx, openRequestsOf(tx, principal.environment), TOO_MANY_OPEN);
      const sealed = await vault.sealFor(tx, requestSubject(id), SELECTORS, Buffer.from(JSON.stringify(selectors)));
      const row: PersonRequestRow = {
        id,
        environment: principal.environment,
        action,
        state: 'SEARCHING',
        reason: null,
        reference: reference ?? null,
        selectors: sealed,
        source: 0,
        after_id: '',
        searched: 0,
        total,
        created_at: now,
        created_by: actor(principal),
        confirmed_at: null,
        receipt: null,
      };
      await addRequest(tx, row);
      await audit.record(tx, { ...changedBy(context), action: 'person.searched', item: id });
      await jobs.enqueue(tx, run, { requestId: id, caller: callerIds(principal) });
      return viewOf(tx, row);
    });
  };

  const handlers = implement(api.personRequests, {
    // Counting takes a while, so it runs before the transaction, for which other writers wait.
    find: prepared(countAll(deps), (context, { body }, total) => create(context, { action: 'FIND', body, total })),
    erase: prepared(countAll(deps), (context, { body }, total) => create(context, { action: 'ERASE', body, total })),

    async get({ db, principal }, { params }) {
      return viewOf(db, await getRequest(db, principal.environment, params.personRequestId));
    },

    async archive(context, { params }) {
      const { db, principal, now } = context;
      const row = await getRequest(db, principal.environment, params.personRequestId);
      if (row.action !== 'FIND' || row.state !== 'DONE') throw new ApiError(100231);
      audit.noteRead(context, { action: 'person.archived', item: row.id });
      const items = await itemsOf(db, { requestId: row.id, limit: MAX_FOUND_OF_PERSON });
      const ensureAllowed = stillAllowed(deps.mayStillCall, context, [api.personRequests.archive.permission]);
      const answer = stream('application/zip', await archivePerson(deps, db, { row, items, now, ensureAllowed }), {
        'content-disposition': `attachment; filename="${row.id}.zip"`,
        'content-security-policy': 'sandbox',
      });
      // A request by parameter may find many persons.
      answer.persons = items.length;
      return answer;
    },
  });
  return { handlers: { personRequests: handlers }, jobs: [run, forgetFindsJob(deps)] };
}

/** Refuses a request that names nobody. Returns the number of items to search. */
function countAll({ sources }: Pick<PersonRequestDeps, 'sources'>) {
  return async ({ db, principal }: Context, { body }: { body: NewRequest }): Promise<number> => {
    const { reference: _reference, ...selectors } = body;
    if (Object.keys(selectors).length === 0) {
      throw invalidInput({ pointer: '', message: 'must have at least one of email, externalId, userId and parameter' });
    }
    // Checked before counting, so that a refused request costs little.
    const { limit, count } = openRequestsOf(db, principal.environment);
    if ((await count()) >= limit) throw new ApiError(100065, { detail: TOO_MANY_OPEN });
    let total = 0;
    for (const source of sources) total += await source.count(db, principal.environment);
    return total;
  };
}

const TOO_MANY_OPEN = `${MAX_OPEN_REQUESTS} requests are still running; try again later`;

function openRequestsOf(db: TenantReads, environment: Environment): CountLimit {
  const count = () => countOpenRequests(db, { environment });
  return { of: ['person_requests', environment], limit: MAX_OPEN_REQUESTS, count };
}

/** A request of the other environment is treated as missing. */
async function getRequest(db: TenantReads, environment: string, id: string): Promise<PersonRequestRow> {
  const row = await findRequest(db, { id });
  if (row?.environment !== environment) throw new ApiError(100230);
  return row;
}

async function viewOf(db: TenantReads, row: PersonRequestRow): Promise<View> {
  const items = await itemsOf(db, { requestId: row.id, limit: MAX_FOUND_OF_PERSON });
  return {
    id: row.id,
    action: row.action,
    environment: row.environment,
    state: row.state,
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.reference !== null && { reference: row.reference }),
    searched: row.searched,
    total: row.total,
    found: byKind(items),
    erased: items.filter(({ erased }) => erased === 1).length,
    createdDtm: toDtm(row.created_at),
    createdBy: row.created_by,
    ...(row.confirmed_at !== null && { confirmedDtm: toDtm(row.confirmed_at) }),
    ...(row.receipt !== null && { receipt: row.receipt }),
  };
}

export function forgetFindsJob(deps: PurgeDeps) {
  return definePurge(
    deps,
    {
      kind: 'userdata-server.forget-finds',
      does: 'removes expired results of person requests',
      recurs: { dailyAt: '00:20', key: 'daily' },
    },
    (now) => [async (tx, limit) => ((await removeOldFind(tx, { before: now - FINDS_KEPT_DAYS * DAY })) ? limit : 0)],
  );
}
