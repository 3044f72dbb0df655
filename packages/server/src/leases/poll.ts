import type { QueueLog } from './log.ts';

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
    let failing = false;
    while (!stopping) {
      let claimed = 0;
      rung = false;
      try {
        claimed = await claim();
        if (failing) log.info({}, `claiming ${noun} works again`);
        failing = false;
      } catch (error) {
        // Logged once: a database that is away for an hour is one event.
        if (!failing) log.error({ err: error }, `could not claim ${noun}`);
        failing = true;
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
