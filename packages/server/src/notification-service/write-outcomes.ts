import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../db/db.ts';
import type { JobLog } from '../jobs/log.ts';
import type { Clock } from '../kernel/clock.ts';
import { asTenantId } from '../kernel/ids.ts';
import { type Finished, settle } from './settle.ts';

/** Attempts that have ended and are not written down yet: together for each tenant; a database that is away is waited for. */
export type Outcomes = {
  add(finished: Finished): void;
  /** What cannot be written now is left to the leases. */
  hurry(): void;
};

export type OutcomesDeps = {
  db: Db;
  clock: Clock;
  log: JobLog;
  random(): number;
  /** Told how many are written down, or given up. */
  onWritten(count: number): void;
};

const MAX_BATCH = 100;
const WRITE_AGAIN_MS = 500;

export function openOutcomes({ db, clock, log, random, onWritten }: OutcomesDeps): Outcomes {
  const waiting = new Map<string, Finished[]>();
  let writing = false;
  let hurried = false;

  const writeBatch = async (tenantId: string, batch: readonly Finished[]) => {
    try {
      await db.of(asTenantId(tenantId)).write((tx) => settle(tx, batch, { now: clock.now(), random }));
      return true;
    } catch (error) {
      log.error({ err: error }, 'could not save webhook delivery results');
      return hurried;
    }
  };
  const write = async () => {
    // Those that end in the same turn are written together.
    await new Promise((turn) => setImmediate(turn));
    for (let next = first(waiting); next; next = first(waiting)) {
      const [tenantId, all] = next;
      const batch = all.slice(0, MAX_BATCH);
      // Whoever has more stands last again: no tenant waits for the whole backlog of another.
      waiting.delete(tenantId);
      const written = await writeBatch(tenantId, batch);
      if (written) onWritten(batch.length);
      else await sleep(WRITE_AGAIN_MS, undefined, { ref: false });
      const left = [...(written ? all.slice(batch.length) : all), ...(waiting.get(tenantId) ?? [])];
      if (left.length > 0) waiting.set(tenantId, left);
    }
    writing = false;
  };

  return {
    add(finished) {
      const { tenantId } = finished.claimed;
      const all = waiting.get(tenantId);
      if (all) all.push(finished);
      else waiting.set(tenantId, [finished]);
      if (writing) return;
      writing = true;
      write();
    },
    hurry() {
      hurried = true;
    },
  };
}

function first(waiting: ReadonlyMap<string, Finished[]>): [string, Finished[]] | undefined {
  return waiting.entries().next().value;
}
