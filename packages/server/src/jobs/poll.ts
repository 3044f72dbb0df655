import type { JobLog } from './log.ts';

/** Asks for work for as long as there is some, then less and less often, and at once when somebody rings. */
export type Poll = {
  start(): void;
  ring(): void;
  /** Resolves when nothing is being asked any more. */
  stop(): Promise<void>;
};

const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

/** `ask` tells how much it found. */
export function openPoll(ask: () => Promise<number>, log: JobLog): Poll {
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
      let found = 0;
      rung = false;
      try {
        found = await ask();
        if (failing) log.info({}, 'claiming jobs works again');
        failing = false;
      } catch (error) {
        // Said once: a database that is away for an hour is one event.
        if (!failing) log.error({ err: error }, 'could not claim jobs');
        failing = true;
        rung = false;
      }
      if (found > 0) {
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
