import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../../scripts/test-seed.ts';

/**
 * The number of times that servers are killed. `npm run test:crashes` sets more rounds than every run of the tests can
 * afford.
 */
export const CRASH_ROUNDS = Number(process.env.CRASH_ROUNDS ?? 1);

/**
 * A round starts a server, which takes a second on an idle machine and many on a busy one. Both engines have to fit in.
 */
const BEFORE_MS = 300_000;
const ROUND_MS = 60_000;
export const CRASH_TIMEOUT_MS = BEFORE_MS + CRASH_ROUNDS * ROUND_MS;

/** The times at which processes are killed: the same in every run, unless TEST_SEED sets others. */
export const chance = seededRandom();

/**
 * Waits for finished work, not for the clock: on a busy machine a server that is killed after a fixed time may not have
 * begun. If a worker ends earlier, a fault has occurred, which the caller sees when it awaits the workers.
 */
export async function untilDone(isDone: () => boolean, workers: readonly Promise<unknown>[]): Promise<void> {
  let gaveUp = false;
  const end = () => {
    gaveUp = true;
  };
  for (const worker of workers) worker.then(end, end);
  while (!gaveUp && !isDone()) await sleep(1);
}
