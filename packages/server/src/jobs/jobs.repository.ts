import { type Db, type Reads, type Sql, sql, type Value, type Writes } from '../db/db.ts';
import { BY_INDEX, SKIP_LOCKED } from '../db/sql/dialect.ts';

/**
 * The queue's table. It belongs to the installation, because a worker claims for all tenants at once; a tenant's
 * connection can add its own jobs and read none. Only this file knows it.
 */
export type JobRow = {
  id: string;
  owner_tenant_id: string | null;
  kind: string;
  payload: string;
  unique_key: string | null;
  run_at: number;
  attempts: number;
  max_attempts: number;
};

export type NewJobRow = Omit<JobRow, 'attempts'> & { created_at: number };

/** How many jobs one statement names: more would only make it longer. */
export const MAX_BATCH = 100;

const NEW_VALUES = "VALUES ($1, $2, $3, $4, $5, 'READY', $6, 0, $7, 0, $8)";
const NEW_COLUMNS =
  'id, owner_tenant_id, kind, payload, unique_key, state, run_at, attempts, max_attempts, lease_until, created_at';
// No target is named: to name one is to read the table, which a tenant's connection may not.
const ADD = sql(`INSERT INTO jobs (${NEW_COLUMNS}) ${NEW_VALUES} ON CONFLICT DO NOTHING`);
// A release with a shorter schedule need not wait for the moment that the longer one had chosen.
const ADD_OR_BRING_FORWARD = sql(`INSERT INTO jobs (${NEW_COLUMNS}) ${NEW_VALUES}
  ON CONFLICT (kind, unique_key) WHERE unique_key IS NOT NULL DO UPDATE SET run_at = excluded.run_at
    WHERE jobs.run_at > excluded.run_at AND jobs.attempts = 0`);

function newValues(row: NewJobRow): Value[] {
  const { id, owner_tenant_id, kind, payload, unique_key, run_at, max_attempts, created_at } = row;
  return [id, owner_tenant_id, kind, payload, unique_key, run_at, max_attempts, created_at];
}

/** False if there is a job with its unique key already. */
export async function addJob(tx: Writes, row: NewJobRow): Promise<boolean> {
  return (await tx.run(ADD, newValues(row))) === 1;
}

export async function addScheduledJob(tx: Writes, row: NewJobRow): Promise<void> {
  await tx.run(ADD_OR_BRING_FORWARD, newValues(row));
}

export type Lease = { token: string; until: number };
export type Claims = {
  /** False if a claim would find nothing. */
  mayBeDue(db: Reads, now: number): Promise<boolean>;
  /**
   * Those that have been due longest, each now leased to the caller and with one attempt more. If more are due than it may
   * claim, owners take turns: those that `turnsOf` names, in that order.
   */
  claim(tx: Writes, now: number, lease: Lease, share: Share): Promise<JobRow[]>;
  /** Whose jobs are due. */
  dueOwners(db: Reads, now: number): Promise<string[]>;
};

/** `limit`: of all owners together. `isFull`: owners take turns however few jobs are due. */
export type Share = {
  readonly limit: number;
  readonly isFull: boolean;
  turnsOf(owners: readonly string[]): readonly string[];
};

/** Whose job it is, as owners take turns: the id of the tenant, or nothing for the installation. */
export const ownerOf = ({ owner_tenant_id }: Pick<JobRow, 'owner_tenant_id'>): string => owner_tenant_id ?? '';
const OWNER = "coalesce(owner_tenant_id, '')";
/** Owners that one look at the queue tells apart. */
const MAX_OWNERS = 10_000;

const CHOOSE_INDEX = sql(BY_INDEX);

/** For the kinds that this process can run: others are left to one that can. */
export function claimsOf(kinds: readonly string[], { isSingleServer }: Pick<Db, 'isSingleServer'>): Claims {
  const due = (firstKind: number) => `state = 'READY' AND run_at <= $1 AND lease_until <= $1
    AND kind IN (${kinds.map((_, at) => `$${firstKind + at}`).join(', ')})`;
  const anyDue = sql(`SELECT 1 AS due FROM jobs WHERE ${due(2)} LIMIT 1`);
  // PostgreSQL would look for jobs again for every row it joins, were they not put down first.
  const claimWhere = (condition: string) =>
    sql(`WITH due AS MATERIALIZED (
      SELECT id FROM jobs WHERE ${due(6)} AND ${condition} ORDER BY run_at LIMIT $2 ${SKIP_LOCKED})
    UPDATE jobs SET lease_token = $3, lease_until = $4, attempts = attempts + 1 WHERE id IN (SELECT id FROM due)
    RETURNING id, owner_tenant_id, kind, payload, unique_key, run_at, attempts, max_attempts`);
  const claimAny = claimWhere("CAST($5 AS TEXT) = ''");
  const claimOf = claimWhere(`${OWNER} = $5`);
  const countDue = sql(`SELECT count(*) AS due FROM (SELECT 1 FROM jobs WHERE ${due(3)} LIMIT $2 + 0) AS counted`);
  // From owner to owner by the index, however many jobs each has.
  const owners = sql(`WITH RECURSIVE turns (owner) AS (
      SELECT min(${OWNER}) FROM jobs WHERE state = 'READY'
      UNION ALL
      SELECT (SELECT min(${OWNER}) FROM jobs WHERE state = 'READY' AND ${OWNER} > turns.owner) FROM turns
        WHERE turns.owner IS NOT NULL)
    SELECT owner FROM turns WHERE owner IS NOT NULL AND EXISTS (SELECT 1 FROM jobs WHERE ${OWNER} = owner AND ${due(2)})
    LIMIT ${MAX_OWNERS}`);
  const dueOwners = async (db: Reads, now: number) =>
    (await db.all<{ owner: string }>(owners, [now, ...kinds])).map(({ owner }) => owner);
  return {
    // SQLite's readers hold nobody up; on PostgreSQL nobody waits for a claim, and only in one the scan can be chosen.
    mayBeDue: async (db, now) => !isSingleServer || (await db.get(anyDue, [now, ...kinds])) !== undefined,
    dueOwners,
    async claim(tx, now, { token, until }, { limit, isFull, turnsOf }) {
      await tx.get(CHOOSE_INDEX, []);
      const counted = isFull ? undefined : await tx.get<{ due: number }>(countDue, [now, limit, ...kinds]);
      const isFew = counted !== undefined && Number(counted.due) < limit;
      const turns = isFew ? [] : turnsOf(await dueOwners(tx, now));
      const rows = isFew ? await tx.all<JobRow>(claimAny, [now, limit, token, until, '', ...kinds]) : [];
      const each = Math.ceil(limit / Math.max(1, turns.length));
      for (const owner of turns) {
        const most = Math.min(each, limit - rows.length);
        if (most > 0) rows.push(...(await tx.all<JobRow>(claimOf, [now, most, token, until, owner, ...kinds])));
      }
      // Rows come back in the order in which they were changed.
      return rows.sort((one, other) => one.run_at - other.run_at || (one.id < other.id ? -1 : 1));
    },
  };
}

const NAMED = Array.from({ length: MAX_BATCH }, (_, at) => `$${at + 3}`).join(', ');
const MINE = `lease_token = $1 AND id IN (${NAMED})`;
// The second value is of a number everywhere, so that one list of places serves all three.
const REMOVE = sql(`DELETE FROM jobs WHERE lease_until > CAST($2 AS BIGINT) AND ${MINE} RETURNING id`);
const EXTEND = sql(`UPDATE jobs SET lease_until = CAST($2 AS BIGINT) WHERE ${MINE} RETURNING id`);
const GIVE_BACK = sql(`UPDATE jobs SET lease_token = NULL, lease_until = CAST($2 AS BIGINT), attempts = attempts - 1
  WHERE ${MINE} RETURNING id`);
const NOT_LEASED = 0;

/** The ids that still were the caller's. */
async function changeMine(tx: Writes, statement: Sql, token: string, second: number, ids: readonly string[]) {
  const changed = new Set<string>();
  for (let from = 0; from < ids.length; from += MAX_BATCH) {
    const some = ids.slice(from, from + MAX_BATCH);
    const padding = Array.from<null>({ length: MAX_BATCH - some.length }).fill(null);
    for (const { id } of await tx.all<{ id: string }>(statement, [token, second, ...some, ...padding])) changed.add(id);
  }
  return changed;
}

export function removeDone(tx: Writes, token: string, ids: readonly string[]): Promise<Set<string>> {
  return changeMine(tx, REMOVE, token, NOT_LEASED, ids);
}

export function extendLeases(tx: Writes, { token, until }: Lease, ids: readonly string[]): Promise<Set<string>> {
  return changeMine(tx, EXTEND, token, until, ids);
}

/** As if they had never been claimed. */
export function giveBack(tx: Writes, token: string, ids: readonly string[]): Promise<Set<string>> {
  return changeMine(tx, GIVE_BACK, token, NOT_LEASED, ids);
}

const FREE_ALL = sql('UPDATE jobs SET lease_until = 0, lease_token = NULL WHERE lease_until > 0');

/** For a process that knows that it is the only one: whoever held a lease is gone. */
export function freeAllLeases(tx: Writes): Promise<number> {
  return tx.run(FREE_ALL, []);
}

const RETRY = sql(`UPDATE jobs SET run_at = $3, last_error = $4, lease_token = NULL, lease_until = 0
  WHERE id = $1 AND lease_token = $2`);
// A dead job keeps no key: the next one of its schedule must not wait for it.
const BURY = sql(`UPDATE jobs SET state = 'DEAD', run_at = $3, last_error = $4, unique_key = NULL, lease_token = NULL,
  lease_until = 0 WHERE id = $1 AND lease_token = $2`);

export type Failure = { id: string; token: string; at: number; error: string };

/** False if the job was another's by then. */
export async function retryLater(tx: Writes, { id, token, at, error }: Failure): Promise<boolean> {
  return (await tx.run(RETRY, [id, token, at, error])) === 1;
}

export async function bury(tx: Writes, { id, token, at, error }: Failure): Promise<boolean> {
  return (await tx.run(BURY, [id, token, at, error])) === 1;
}
