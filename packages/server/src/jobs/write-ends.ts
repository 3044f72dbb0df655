import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../db/db.ts';
import type { Clock } from '../kernel/clock.ts';
import { MAX_BATCH } from './jobs.repository.ts';
import type { JobLog } from './log.ts';
import { type Claimed, type Finished, type SettleDeps, settle } from './settle.ts';

/** Jobs that have ended and are not written down yet. They are written in batches; a database that is away is waited for. */
export type Ends = {
  add(finished: Finished): void;
  jobs(): Claimed[];
  readonly size: number;
  /** Nothing is left, or nothing can be done about it. */
  readonly isWritten: boolean;
  /** What cannot be written now is left to the leases. */
  hurry(): void;
};

export type EndsDeps = SettleDeps & { db: Db; clock: Clock; log: JobLog; onWritten(): void };

const WRITE_AGAIN_MS = 500;

export function openEnds(deps: EndsDeps): Ends {
  const { db, clock, log } = deps;
  const finished: Finished[] = [];
  let writing = false;
  let hurried = false;

  const write = async () => {
    // Those that end in the same turn are written together.
    await new Promise((turn) => setImmediate(turn));
    while (finished.length > 0) {
      const batch = finished.slice(0, MAX_BATCH);
      try {
        const refused = await db.system.write((tx) => settle(tx, batch, clock.now(), deps));
        if (refused.length > 0) log.warn({ jobs: refused }, 'jobs outlived their lease and will run again');
        finished.splice(0, batch.length);
      } catch (error) {
        log.error({ err: error }, 'could not save job results');
        if (hurried) finished.length = 0;
        else await sleep(WRITE_AGAIN_MS, undefined, { ref: false });
      }
    }
    writing = false;
    deps.onWritten();
  };

  return {
    add(each) {
      finished.push(each);
      if (writing) return;
      writing = true;
      write();
    },
    jobs: () => finished.map(({ job }) => job),
    get size() {
      return finished.length;
    },
    get isWritten() {
      return !writing;
    },
    hurry() {
      hurried = true;
    },
  };
}
