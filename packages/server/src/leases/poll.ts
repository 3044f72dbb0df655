import { outageLog, type QueueLog } from './log.ts';

/** Claims while items are due, then less and less often, and at once after `ring`. */
export type Poll = {
  start(): void;
  ring(): void;
  /** Resolves when no claim is under way any more. */
  stop(): Promise<void>;
};

const SHORTEST_PAUSE_MS = 50;
export const LONGEST_PAUSE_MS = 1000;

/** `claim` returns the number of claimed items, or 0 if no more can be due; `noun` names them in the log. */
export function openPoll(claim: () => Promise<number>, noun: string, log: QueueLog): Poll {
  let stopping = false;
  let rung = false;
  let wakeUp: (() => void) | undefined;
  let loop: Promise<void> | undefined;

  const pause = (ms: number) =>
    new Promise<void>((done) => {
      if (rung || stopping) return done();
      const timer = setTimeout(() => wakeUp?.(), ms).unref();
      wakeUp = () => {
        clearTimeout(timer);
        wakeUp = undefined;
        done();
      };
    });

  const run = async () => {
    let pauseMs = SHORTEST_PAUSE_MS;
    const outage = outageLog(log, { fault: `could not claim ${noun}`, end: `claiming ${noun} works again` });
    while (!stopping) {
      let claimed = 0;
      rung = false;
      try {
        claimed = await claim();
        outage.worked();
      } catch (error) {
        outage.failed(error);
        rung = false;
      }
      if (claimed > 0) {
        pauseMs = SHORTEST_PAUSE_MS;
        continue;
      }
      await pause(pauseMs);
      pauseMs = rung ? SHORTEST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    }
  };

  return {
    start() {
      loop ??= run();
    },
    ring() {
      rung = true;
      wakeUp?.();
    },
    async stop() {
      stopping = true;
      wakeUp?.();
      await loop;
    },
  };
}
