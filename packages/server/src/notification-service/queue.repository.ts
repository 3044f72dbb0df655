import type { Reads, TenantTx, Writes } from '../db/db.ts';
import { BY_INDEX, inList, LIMIT, SKIP_LOCKED } from '../db/sql/dialect.ts';
import { query, statement } from '../db/sql/statement.ts';
import { integer, table, text } from '../db/sql/table.ts';
import { DAY, MOST_APART_MS } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { type Lease, leaseTable } from '../leases/lease-table.ts';
import { FAILURES_THAT_CLOSE, LONGEST_CLOSED_MS } from './retry-rules.ts';

/**
 * The queue of deliveries for all tenants: a lane for each endpoint, so that the deliveries of one endpoint never delay those
 * of another. The tables hold ids only and belong to no tenant.
 */
const endpoints = table('webhook_endpoints', {
  webhook_id: text(),
  owner_tenant_id: text(),
  active: integer<0 | 1>(),
  failures: integer(),
  closed_until: integer(),
});
export const DELIVERY_LEASES = leaseTable('webhook_queue');

export type Lane = { webhook_id: string; owner_tenant_id: string; failures: number };

export type QueueItem = {
  readonly id: string;
  readonly tenantId: string;
  readonly webhookId: string;
  /** The number of attempts in the current run of its schedule. */
  readonly tried: number;
  readonly token: string;
};

/** The limit of concurrent requests to an endpoint: one if the last failed, which also tests whether it works again. */
export function placesOf({ failures }: { failures: number }, perEndpoint: number): number {
  return failures > 0 ? 1 : perEndpoint;
}

// Steps from endpoint to endpoint by the index, so that the backlog of a dead one is not read.
const DUE_LANES = query<Lane>()(`WITH RECURSIVE lanes (webhook_id) AS (
    SELECT min(webhook_id) FROM webhook_queue WHERE webhook_id > :after
    UNION ALL
    SELECT (SELECT min(q.webhook_id) FROM webhook_queue q WHERE q.webhook_id > lanes.webhook_id)
      FROM lanes WHERE lanes.webhook_id IS NOT NULL)
  SELECT e.webhook_id, e.owner_tenant_id, e.failures FROM lanes JOIN webhook_endpoints e ON e.webhook_id = lanes.webhook_id
  WHERE e.active = 1 AND e.closed_until <= :now AND EXISTS (
    SELECT 1 FROM webhook_queue d WHERE d.webhook_id = e.webhook_id AND d.next_at <= :now AND d.lease_until <= :now)
  ${LIMIT}`);

/** The endpoints with due deliveries, from the one after `after` on. */
export const dueLanes = DUE_LANES.all;
// The server that holds this row lock counts the requests under way and adds to them; others skip to the next endpoint.
const TAKE_LANE = endpoints.select(
  ['failures'],
  `WHERE webhook_id = :webhook_id AND active = 1 AND closed_until <= :now ${SKIP_LOCKED}`,
);
const UNDER_WAY = query<{ leased: number }>()(
  `SELECT count(*) AS leased FROM webhook_queue WHERE webhook_id = :webhook_id AND lease_until > 0 AND lease_until > :now`,
);
const CLAIM = query<{ id: string; next_at: number; tried: number }>()(`WITH due AS MATERIALIZED (
    SELECT id FROM webhook_queue WHERE webhook_id = :webhook_id AND next_at <= :now AND lease_until <= :now
    ORDER BY next_at, id LIMIT :room ${SKIP_LOCKED})
  UPDATE webhook_queue SET lease_token = :token, lease_until = :until WHERE id IN (SELECT id FROM due)
  RETURNING id, next_at, tried`);

export const prepareClaim = statement(BY_INDEX).get;

/** Claims the deliveries that have been due longest, up to the limit of the endpoint. */
export async function claimFromLane(
  tx: Writes,
  { webhook_id, owner_tenant_id }: Pick<Lane, 'webhook_id' | 'owner_tenant_id'>,
  now: number,
  lease: Lease,
  { limit, perEndpoint }: { limit: number; perEndpoint: number },
): Promise<QueueItem[]> {
  const endpoint = await TAKE_LANE.get(tx, { webhook_id, now });
  if (!endpoint) return [];
  const leased = (await UNDER_WAY.get(tx, { webhook_id, now }))?.leased ?? 0;
  const room = Math.min(limit, placesOf(endpoint, perEndpoint) - leased);
  if (room <= 0) return [];
  const rows = await CLAIM.all(tx, { webhook_id, now, room, ...lease });
  rows.sort((one, other) => one.next_at - other.next_at || (one.id < other.id ? -1 : 1));
  return rows.map(({ id, tried: attemptsBefore }) => ({
    id,
    tried: attemptsBefore,
    token: lease.token,
    tenantId: owner_tenant_id,
    webhookId: webhook_id,
  }));
}

export const removeFromQueue = statement(
  `DELETE FROM webhook_queue WHERE owner_tenant_id = :tenant_id AND id ${inList(':ids')}`,
).run;

/** Resolves to false if the lease ran out and another server has the delivery now. */
export const retryAt =
  statement(`UPDATE webhook_queue SET lease_until = 0, lease_token = NULL, tried = tried + 1, next_at = :at
  WHERE owner_tenant_id = :tenant_id AND id = :id AND lease_token = :token`).changes;

const OF_TENANT = 'WHERE owner_tenant_id = :tenant_id AND webhook_id = :webhook_id';
const ADD_ENDPOINT = endpoints.insert();
const RESET = endpoints.update(['active', 'failures', 'closed_until'], OF_TENANT);
// Failures of requests that were under way when the endpoint closed are not counted. The count is capped, so that many
// failures at once close it only once.
const FAILED = query<{ failures: number }>()(`UPDATE webhook_endpoints SET failures = CASE
    WHEN failures >= ${FAILURES_THAT_CLOSE} THEN failures + 1
    WHEN failures + :count > ${FAILURES_THAT_CLOSE} THEN ${FAILURES_THAT_CLOSE} ELSE failures + :count END
  ${OF_TENANT} AND closed_until <= :now RETURNING failures`);

export async function addEndpoint(tx: TenantTx, webhookId: string, active: boolean): Promise<void> {
  await ADD_ENDPOINT.run(tx, { webhook_id: webhookId, owner_tenant_id: tx.tenantId, ...stateOf(active) });
}

/** Resets the endpoint: earlier failures are forgotten. */
export async function resetEndpoint(tx: TenantTx, webhookId: string, active: boolean): Promise<void> {
  await RESET.run(tx, { webhook_id: webhookId, ...stateOf(active) });
}

const stateOf = (active: boolean) => ({ active: active ? 1 : 0, failures: 0, closed_until: 0 }) as const;

export const noteSuccess = statement(
  `UPDATE webhook_endpoints SET failures = 0, closed_until = 0 ${OF_TENANT} AND failures > 0`,
).run;

/** Counts failures. Resolves to the number of failures in a row; undefined if the endpoint is already closed. */
export async function noteFailures(
  tx: TenantTx,
  webhookId: string,
  count: number,
  now: number,
): Promise<number | undefined> {
  return (await FAILED.get(tx, { webhook_id: webhookId, count, now }))?.failures;
}

export const closeEndpoint = endpoints.update(['closed_until'], OF_TENANT).run;

/** Longer than any interval of a schedule with its jitter, and than the day that a receiver may request. */
const LONGEST_DELAY_MS = 2 * DAY;
// Ids are in the order of creation.
const BRING_FORWARD = statement(`UPDATE webhook_queue SET next_at = :now WHERE next_at > :now
  AND ((tried = 0 AND id > :nextId) OR next_at > :now + ${LONGEST_DELAY_MS})`);
const REOPEN = statement('UPDATE webhook_endpoints SET closed_until = 0 WHERE closed_until > :latest');

/** Brings forward deliveries and endpoints that were added, delayed or closed while the clock was ahead. */
export async function bringDeliveriesForward(tx: Writes, now: number, leaseMs: number): Promise<void> {
  await BRING_FORWARD.run(tx, { now, nextId: newId(now + MOST_APART_MS) });
  await REOPEN.run(tx, { latest: now + LONGEST_CLOSED_MS + MOST_APART_MS });
  await DELIVERY_LEASES.freeAll(tx, now + leaseMs + MOST_APART_MS);
}

const MAX_COUNTED = 100_000;
const WAITING = query<{ count: number; oldest: number | null }>()(`SELECT count(*) AS count, min(next_at) AS oldest
    FROM (SELECT next_at FROM webhook_queue LIMIT ${MAX_COUNTED}) AS some_of_them`);

/** The number of waiting deliveries, up to a limit, and the moment when the first of them is due. */
export async function deliveriesWaiting(db: Reads): Promise<{ count: number; oldest: number | null }> {
  return (await WAITING.get(db, {})) ?? { count: 0, oldest: null };
}
