import { setTimeout as sleep } from 'node:timers/promises';
import { outageLog, type QueueLog } from './log.ts';

/** Results that are not written yet. Those of one group are written together. While the database is away, they wait. */
export type Results<R> = {
  add(group: string, result: R): void;
  all(): R[];
  readonly size: number;
  /** True if all results are written. */
  readonly isWritten: boolean;
  /** From now on, results that cannot be written at once are dropped: the items run again when their leases are over. */
  hurry(): void;
};

export type ResultsDeps<R> = {
  log: QueueLog;
  /** Names the results in the log. */
  noun: string;
  write(group: string, batch: readonly R[]): Promise<void>;
  onWritten(): void;
};

/** The most results that one transaction writes. */
export const MAX_BATCH = 100;
const WRITE_AGAIN_MS = 500;

export function openResults<R>({ log, noun, write, onWritten }: ResultsDeps<R>): Results<R> {
  const waiting = new Map<string, R[]>();
  let writing = false;
  let isHurried = false;

  const fault = `could not save results of ${noun}`;
  const outage = outageLog(log, { fault, end: `saving results of ${noun} works again` });

  const isWritten = (group: string, batch: readonly R[]) =>
    write(group, batch).then(
      () => {
        outage.worked();
        return true;
      },
      (error) => {
        outage.failed(error);
        return isHurried;
      },
    );
  const writeAll = async () => {
    // Results of the same turn are written together.
    await new Promise((turn) => setImmediate(turn));
    for (let next = first(waiting); next; next = first(waiting)) {
      const [group, results] = next;
      const batch = results.slice(0, MAX_BATCH);
      if (await isWritten(group, batch)) results.splice(0, batch.length);
      else await sleep(WRITE_AGAIN_MS, undefined, { ref: false });
      // A group with more results goes to the end, so that no group waits for the whole backlog of another.
      waiting.delete(group);
      if (results.length > 0) waiting.set(group, results);
      if (waiting.size > 0) onWritten();
    }
    writing = false;
    onWritten();
  };

  return {
    add(group, result) {
      const results = waiting.get(group);
      if (results) results.push(result);
      else waiting.set(group, [result]);
      if (writing) return;
      writing = true;
      writeAll();
    },
    all: () => [...waiting.values()].flat(),
    get size() {
      return waiting.values().reduce((sum, { length }) => sum + length, 0);
    },
    get isWritten() {
      return !writing;
    },
    hurry() {
      isHurried = true;
    },
  };
}

function first<R>(waiting: ReadonlyMap<string, R[]>): [string, R[]] | undefined {
  return waiting.entries().next().value;
}
