import { MAX_QUEUE_COUNTED } from '@grove/contract';
import type { Reads } from '../db/db.ts';
import { query } from '../db/sql/statement.ts';

export type QueueDepth = { waiting: number; oldest: number | null };

const DUE = query<QueueDepth>()(`SELECT count(*) AS waiting, min(run_at) AS oldest FROM (
    SELECT run_at FROM jobs WHERE state = 'READY' AND coalesce(owner_tenant_id, '') = :owner AND run_at <= :now
    ORDER BY run_at LIMIT ${MAX_QUEUE_COUNTED}) due`);
const DEAD = query<{ total: number }>()(`SELECT count(*) AS total FROM (
    SELECT id FROM jobs WHERE state = 'DEAD' AND owner_tenant_id = :owner LIMIT ${MAX_QUEUE_COUNTED}) dead`);
const DELIVERIES = query<QueueDepth>()(`SELECT count(*) AS waiting, min(next_at) AS oldest FROM (
    SELECT next_at FROM webhook_queue WHERE owner_tenant_id = :owner AND next_at <= :now
    LIMIT ${MAX_QUEUE_COUNTED}) due`);
const NOTHING: QueueDepth = { waiting: 0, oldest: null };

/** The queue depths of one tenant. Only the installation may read the whole tables. */
export async function queuesOfTenant(system: Reads, owner: string, now: number) {
  const [jobs = NOTHING, dead, deliveries = NOTHING] = await Promise.all([
    DUE.get(system, { owner, now }),
    DEAD.get(system, { owner }),
    DELIVERIES.get(system, { owner, now }),
  ]);
  return { jobs, deadJobs: dead?.total ?? 0, deliveries };
}
