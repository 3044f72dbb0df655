import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../../scripts/test-seed.ts';

/** How often servers are killed. `npm run test:crashes` asks for more rounds than every run of the tests can afford. */
export const CRASH_ROUNDS = Number(process.env.CRASH_ROUNDS ?? 1);

/** A round starts a server, which takes a second on a quiet machine and many on a busy one. Both engines have to fit in. */
const BEFORE_MS = 300_000;
const ROUND_MS = 60_000;
export const CRASH_TIMEOUT_MS = BEFORE_MS + CRASH_ROUNDS * ROUND_MS;

/** When the next process is killed: the same moments in every run, unless TEST_SEED asks for others. */
export const chance = seededRandom();

/**
 * Waits for work that was done, not for the clock: on a busy machine a server that is killed after a fixed time may not
 * have begun. Whoever gives up earlier has met a fault, which the caller sees when it waits for the workers.
 */
export async function untilDone(isDone: () => boolean, workers: readonly Promise<unknown>[]): Promise<void> {
  let gaveUp = false;
  const end = () => {
    gaveUp = true;
  };
  for (const worker of workers) worker.then(end, end);
  while (!gaveUp && !isDone()) await sleep(1);
}
