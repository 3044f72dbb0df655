import { setImmediate } from 'node:timers/promises';
import { api, type Body, type Ok } from '@grove/contract';
import { ensureBelowLimit } from '../../db/below-limit.ts';
import { defineJob, type JobDefinition } from '../../jobs/define-job.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { HOUR, MINUTE, SECOND, toDtm } from '../../kernel/clock.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { EVERY_ID } from '../../kernel/id-range.ts';
import { ID_PATTERN, newId } from '../../kernel/ids.ts';
import { implement } from '../../kernel/implement.ts';
import { firstIdOf } from '../../kernel/moment-of.ts';
import { likePattern } from '../../kernel/pages.ts';
import {
  addQuery,
  completeQuery,
  countQueries,
  type EventFilter,
  type ExactColumn,
  eventsOfIds,
  findQuery,
  type LikeColumn,
  type QueryRow,
  setQueryStatus,
} from './event-queries.repository.ts';
import type { EventRow } from './identity-events.table.ts';
import { type Page, pageOfEvents } from './search-events.ts';

/**
 * Queries over the events of identity stores (specification, Events). They run in the background; results are read in
 * pages.
 */

export const MAX_QUERIES_PER_ENVIRONMENT = 1000;
export const QUERY_KEPT_MS = 24 * HOUR;
/** The largest page size, so that a first page of any size is stored. */
const FIRST_PAGE = 1000;
const DEFAULT_SIZE = 100;

type QueryInput = Body<typeof api.events.startQuery>;
type Result = Ok<typeof api.events.getQueryResult>;
type IdentityStoreEvent = Result['results'][number];

export function eventQueryHandlers({
  jobs,
  runQuery,
}: {
  jobs: Pick<Jobs, 'enqueue'>;
  runQuery: JobDefinition<{ queryId: string }>;
}) {
  return implement(api.events, {
    async startQuery({ db, now, principal: { environment } }, { body }) {
      const id = newId(now);
      const row: QueryRow = {
        id,
        environment,
        status: 'QUEUED',
        filter: JSON.stringify(filterOf(body)),
        size: body.size ?? DEFAULT_SIZE,
        first_page: null,
        next_id: null,
        created_at: now,
        expires_at: now + QUERY_KEPT_MS,
      };
      await db.write(async (tx) => {
        const count = () => countQueries(tx, { environment });
        await ensureBelowLimit(tx, { of: ['event_queries', environment], limit: MAX_QUERIES_PER_ENVIRONMENT, count });
        await addQuery(tx, row);
        await jobs.enqueue(tx, runQuery, { queryId: id });
      });
      return { executionId: id };
    },

    async getQueryResult({ db, now, principal: { environment } }, { params, query }): Promise<Result> {
      const row = await findQuery(db, { id: params.executionId });
      if (!row || row.environment !== environment || row.expires_at <= now) throw new ApiError(100036);
      if (row.status !== 'SUCCEEDED') return { status: row.status, results: [] };
      const size = query.size ?? row.size;
      if (query.nextToken !== undefined) {
        const below = readToken(row.id, query.nextToken);
        const filter = JSON.parse(row.filter) as EventFilter;
        const { ids, nextId } = await pageOfEvents(db, filter, { environment, below, size });
        return resultOf(row.id, await eventsOfIds(db, { environment, ids }), nextId);
      }
      const ids = JSON.parse(row.first_page ?? '[]') as string[];
      const pageIds = ids.slice(0, size);
      const nextId = pageIds.length < ids.length ? pageIds.at(-1) : (row.next_id ?? undefined);
      return resultOf(row.id, await eventsOfIds(db, { environment, ids: pageIds }), nextId);
    },
  });
}

/** Finds the first page, newest first. Later pages are read below its last id, so new events do not move them. */
export function runQueryJob(): JobDefinition<{ queryId: string }> {
  const maxAttempts = 3;
  return defineJob<{ queryId: string }>({
    kind: 'identity-store.run-event-query',
    does: 'searches the events of identity stores for a query',
    maxAttempts,
    backoff: { firstMs: SECOND, mostMs: MINUTE },
    timeoutMs: 5 * MINUTE,
    async run({ queryId }, { tenant, signal, attempt }) {
      const db = tenant();
      const row = await findQuery(db, { id: queryId });
      if (!row || row.status === 'SUCCEEDED') return;
      await db.write((tx) => setQueryStatus(tx, { id: queryId, status: 'RUNNING' }));
      try {
        const filter = JSON.parse(row.filter) as EventFilter;
        const ids: string[] = [];
        let below: string | undefined = EVERY_ID.below;
        while (below !== undefined && ids.length < FIRST_PAGE) {
          signal.throwIfAborted();
          const size = FIRST_PAGE - ids.length;
          const page: Page = await pageOfEvents(db, filter, { environment: row.environment, below, size });
          ids.push(...page.ids);
          below = page.nextId;
          // SQLite reads on this thread, so other requests get their turn between two stretches.
          await setImmediate();
        }
        await db.write((tx) => completeQuery(tx, queryId, { ids, nextId: below ?? null }));
      } catch (error) {
        if (attempt >= maxAttempts) await db.write((tx) => setQueryStatus(tx, { id: queryId, status: 'FAILED' }));
        throw error;
      }
    },
  });
}

/** A pattern without wildcards becomes an exact filter, which can use an index. */
export function filterOf(input: QueryInput): EventFilter {
  const exact: Partial<Record<ExactColumn, string | number>> = {};
  const like: Partial<Record<LikeColumn, string>> = {};
  const equal = (column: ExactColumn, value: string | number | undefined) => {
    if (value !== undefined && value !== '') exact[column] = value;
  };
  const matches = (column: LikeColumn, value: string | undefined, pointer: string) => {
    const pattern = likePattern(value, pointer);
    if (pattern === undefined) return;
    if (/[%_\\]/.test(pattern)) like[column] = pattern;
    else exact[column] = pattern;
  };
  const whole = (value: number | string | undefined) => (value === undefined ? undefined : Number(value));
  equal('parent_process_defn_id', input.parentProcessDefnId);
  equal('parent_process_defn_version', whole(input.parentProcessDefnVersion));
  equal('parent_process_instance_id', input.parentProcessInstanceId);
  equal('child_process_defn_version', whole(input.childProcessDefnVersion));
  matches('parent_process_defn_folded', input.parentProcessDefnName, '/parentProcessDefnName');
  matches('child_process_defn_folded', input.childProcessDefnName, '/childProcessDefnName');
  matches('child_process_tag_folded', input.childProcessDefnTag, '/childProcessDefnTag');
  const { type, userId } = input;
  return {
    exact,
    like,
    unindexed: { ...(type && { type }), ...(userId !== undefined && { user_id: userId }) },
    from: firstIdOf(input.startDateTime, '/startDateTime'),
    below: firstIdOf(input.endDateTime, '/endDateTime'),
  };
}

function resultOf(queryId: string, rows: readonly EventRow[], nextId: string | undefined): Result {
  return {
    status: 'SUCCEEDED',
    results: rows.map(toEvent),
    ...(nextId !== undefined && { nextToken: Buffer.from(`${queryId}.${nextId}`).toString('base64url') }),
  };
}

/** Refuses a token of another query: it would show events that do not match this query. */
function readToken(queryId: string, token: string): string {
  const [query, id = ''] = Buffer.from(token, 'base64url').toString('latin1').split('.');
  if (query !== queryId || !ID_PATTERN.test(id)) {
    throw invalidInput({ pointer: '/query/nextToken', message: 'must be a nextToken of this query' });
  }
  return id;
}

function toEvent(row: EventRow): IdentityStoreEvent {
  const optionalMembers = {
    userId: row.user_id,
    modality: row.modality as IdentityStoreEvent['modality'] | null,
    code: row.code,
    rpId: row.rp_id,
    parentProcessDefnId: row.parent_process_defn_id,
    parentProcessDefnName: row.parent_process_defn_name,
    parentProcessDefnVersion: row.parent_process_defn_version,
    parentProcessInstanceId: row.parent_process_instance_id,
    childProcessDefnName: row.child_process_defn_name,
    childProcessDefnVersion: row.child_process_defn_version,
    childProcessDefnTag: row.child_process_defn_tag,
  };
  const there = Object.fromEntries(Object.entries(optionalMembers).filter(([, value]) => value !== null));
  return { id: row.id, type: row.type, storeName: row.store_name, createdDtm: toDtm(row.at), ...there };
}
