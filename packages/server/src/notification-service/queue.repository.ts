import { type Reads, sql, type TenantTx, type Writes } from '../db/db.ts';
import { BY_INDEX, SKIP_LOCKED } from '../db/sql/dialect.ts';
import { FAILURES_THAT_CLOSE } from './retry-rules.ts';

/**
 * What is to be sent, for all tenants at once: a lane for each endpoint, so that what waits for one never stands in the
 * way of what waits for another. The tables hold ids alone, and belong to no tenant.
 */
export type Lane = { webhook_id: string; owner_tenant_id: string; failures: number };

export type Claimed = {
  readonly id: string;
  readonly tenantId: string;
  readonly webhookId: string;
  /** Attempts so far, in this run of its schedule. */
  readonly tried: number;
  readonly token: string;
};

export type Lease = { token: string; until: number };

export const MAX_PER_ENDPOINT = 4;

/** Requests to one endpoint at a time: one alone if the last failed, which also shows whether it is back. */
export function placesOf({ failures }: { failures: number }): number {
  return failures > 0 ? 1 : MAX_PER_ENDPOINT;
}

// From one endpoint to the next by the index: what a dead one has gathered is stepped over, not read.
const DUE = `WITH RECURSIVE lanes (webhook_id) AS (
    SELECT min(webhook_id) FROM webhook_queue WHERE webhook_id > $2
    UNION ALL
    SELECT (SELECT min(q.webhook_id) FROM webhook_queue q WHERE q.webhook_id > lanes.webhook_id)
      FROM lanes WHERE lanes.webhook_id IS NOT NULL)
  SELECT e.webhook_id, e.owner_tenant_id, e.failures FROM lanes JOIN webhook_endpoints e ON e.webhook_id = lanes.webhook_id
  WHERE e.active = 1 AND e.closed_until <= $1 AND EXISTS (
    SELECT 1 FROM webhook_queue d WHERE d.webhook_id = e.webhook_id AND d.next_at <= $1 AND d.lease_until <= $1)
  LIMIT $3 + 0`;
const DUE_LANES = sql(DUE, ([webhook_id, owner_tenant_id, failures]) => ({ webhook_id, owner_tenant_id, failures }));

/** Endpoints with something to send, from the one after `after` on. */
export function dueLanes(db: Reads, now: number, after: string, limit: number): Promise<Lane[]> {
  return db.all<Lane>(DUE_LANES, [now, after, limit]);
}

const CHOOSE_INDEX = sql(BY_INDEX);
// Whoever holds it counts what is under way at the endpoint and adds to it; another server goes on to the next.
const TAKE_LANE = sql(`SELECT failures FROM webhook_endpoints
  WHERE webhook_id = $1 AND active = 1 AND closed_until <= $2 ${SKIP_LOCKED}`);
const UNDER_WAY = sql(`SELECT count(*) AS leased FROM webhook_queue
  WHERE webhook_id = $1 AND lease_until > 0 AND lease_until > $2`);
const CLAIM = sql(`WITH due AS MATERIALIZED (
    SELECT id FROM webhook_queue WHERE webhook_id = $1 AND next_at <= $2 AND lease_until <= $2
    ORDER BY next_at, id LIMIT $3 ${SKIP_LOCKED})
  UPDATE webhook_queue SET lease_token = $4, lease_until = $5 WHERE id IN (SELECT id FROM due)
  RETURNING id, next_at, tried`);

export async function prepareClaim(tx: Writes): Promise<void> {
  await tx.get(CHOOSE_INDEX, []);
}

/** The deliveries that have been due longest, as many as the endpoint can take, each leased to the caller. */
export async function claimFromLane(
  tx: Writes,
  { webhook_id, owner_tenant_id }: Pick<Lane, 'webhook_id' | 'owner_tenant_id'>,
  now: number,
  lease: Lease,
  limit: number,
): Promise<Claimed[]> {
  const endpoint = await tx.get<{ failures: number }>(TAKE_LANE, [webhook_id, now]);
  if (!endpoint) return [];
  const leased = (await tx.get<{ leased: number }>(UNDER_WAY, [webhook_id, now]))?.leased ?? 0;
  const room = Math.min(limit, placesOf(endpoint) - leased);
  if (room <= 0) return [];
  type Row = { id: string; next_at: number; tried: number };
  const rows = await tx.all<Row>(CLAIM, [webhook_id, now, room, lease.token, lease.until]);
  rows.sort((one, other) => one.next_at - other.next_at || (one.id < other.id ? -1 : 1));
  return rows.map(({ id, tried }) => ({
    ...{ id, tried, token: lease.token },
    tenantId: owner_tenant_id,
    webhookId: webhook_id,
  }));
}

const FREE_ALL = sql('UPDATE webhook_queue SET lease_until = 0, lease_token = NULL WHERE lease_until > 0');

/** For a process that knows that it is the only one: whoever held a lease is gone. */
export function freeAllLeases(tx: Writes): Promise<number> {
  return tx.run(FREE_ALL, []);
}

const MINE = 'owner_tenant_id = $1 AND id = $2 AND lease_token = $3';
const REMOVE = sql('DELETE FROM webhook_queue WHERE owner_tenant_id = $1 AND id = $2');
const REMOVE_MINE = sql(`DELETE FROM webhook_queue WHERE ${MINE}`);
const FREE = sql(`UPDATE webhook_queue SET lease_until = 0, lease_token = NULL WHERE ${MINE}`);
const RETRY = sql(`UPDATE webhook_queue SET lease_until = 0, lease_token = NULL, tried = tried + 1, next_at = $4
  WHERE ${MINE}`);

/** What was delivered needs no sender any more, whoever holds it by now. */
export async function removeFromQueue(tx: TenantTx, id: string): Promise<void> {
  await tx.run(REMOVE, [tx.tenantId, id]);
}

type Held = Pick<Claimed, 'id' | 'token'>;

/** Each of these is false if the lease ran out and another holds it now. */
export async function giveUp(tx: TenantTx, { id, token }: Held): Promise<boolean> {
  return (await tx.run(REMOVE_MINE, [tx.tenantId, id, token])) === 1;
}

export async function retryAt(tx: TenantTx, { id, token }: Held, at: number): Promise<boolean> {
  return (await tx.run(RETRY, [tx.tenantId, id, token, at])) === 1;
}

/** As if it had never been claimed. */
export async function giveBack(tx: TenantTx, { id, token }: Held): Promise<boolean> {
  return (await tx.run(FREE, [tx.tenantId, id, token])) === 1;
}

const ADD_ENDPOINT = sql(`INSERT INTO webhook_endpoints (webhook_id, owner_tenant_id, active, failures, closed_until)
  VALUES ($1, $2, $3, 0, 0)`);
const RESET = sql(`UPDATE webhook_endpoints SET active = $3, failures = 0, closed_until = 0
  WHERE owner_tenant_id = $1 AND webhook_id = $2`);
const RECOVERED = sql(`UPDATE webhook_endpoints SET failures = 0, closed_until = 0
  WHERE owner_tenant_id = $1 AND webhook_id = $2 AND failures > 0`);
// Those that were under way when it closed tell nothing new. A count of many at once closes it once.
const FAILED = sql(`UPDATE webhook_endpoints SET failures = CASE
    WHEN failures >= ${FAILURES_THAT_CLOSE} THEN failures + 1
    WHEN failures + $3 > ${FAILURES_THAT_CLOSE} THEN ${FAILURES_THAT_CLOSE} ELSE failures + $3 END
  WHERE owner_tenant_id = $1 AND webhook_id = $2 AND closed_until <= $4 RETURNING failures`);
const CLOSE = sql('UPDATE webhook_endpoints SET closed_until = $3 WHERE owner_tenant_id = $1 AND webhook_id = $2');

export async function addEndpoint(tx: TenantTx, webhookId: string, active: boolean): Promise<void> {
  await tx.run(ADD_ENDPOINT, [webhookId, tx.tenantId, Number(active)]);
}

/** As new: whatever it had failed before is forgotten. */
export async function resetEndpoint(tx: TenantTx, webhookId: string, active: boolean): Promise<void> {
  await tx.run(RESET, [tx.tenantId, webhookId, Number(active)]);
}

export async function noteSuccess(tx: TenantTx, webhookId: string): Promise<void> {
  await tx.run(RECOVERED, [tx.tenantId, webhookId]);
}

/** How many failures in a row there are now; nothing if the endpoint is closed already. */
export async function noteFailures(
  tx: TenantTx,
  webhookId: string,
  count: number,
  now: number,
): Promise<number | undefined> {
  return (await tx.get<{ failures: number }>(FAILED, [tx.tenantId, webhookId, count, now]))?.failures;
}

export async function closeEndpoint(tx: TenantTx, webhookId: string, until: number): Promise<void> {
  await tx.run(CLOSE, [tx.tenantId, webhookId, until]);
}

const MAX_COUNTED = 100_000;
const WAITING = sql(`SELECT count(*) AS count, min(next_at) AS oldest
  FROM (SELECT next_at FROM webhook_queue LIMIT ${MAX_COUNTED}) AS some_of_them`);

/** How many deliveries wait, counted up to a limit, and when the first of them is due. */
export async function deliveriesWaiting(db: Reads): Promise<{ count: number; oldest: number | null }> {
  return (await db.get<{ count: number; oldest: number | null }>(WAITING, [])) ?? { count: 0, oldest: null };
}
