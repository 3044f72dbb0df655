import { type AsyncHook, createHook } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';
import { after } from 'node:test';
import { processorTime } from './processor-time.ts';

/** Loaded first in every process that runs tests. It sees to it that the process ends, and only when its tests are done. */
const ENDS_WITHIN_MS = Number(process.env.TEST_ENDS_WITHIN_MS ?? 10_000);
const ENDED_EARLY = 8;
const DID_NOT_END = 9;
const timesFile = process.env.TEST_TIMES_FILE;
const startedAt = Date.now();
let isDone = false;

/**
 * `node:test` follows every promise to know in which suite a test is declared. This takes a sixth of the processor time, and
 * nothing is declared after the files are loaded. From then on an error that nobody handles fails the process, not one test.
 */
const followers: AsyncHook[] = [];
const hooks = Object.getPrototypeOf(createHook({})) as AsyncHook;
const { enable } = hooks;
hooks.enable = function () {
  followers.push(this);
  return enable.call(this);
};

/** To be called when all files are loaded, so that their own hooks come first. */
export function endWithTests(): void {
  endAfterTests();
  hooks.enable = enable;
  for (const follower of followers) follower.disable();
}

function endAfterTests(): void {
  after(() => {
    isDone = true;
    // Does not keep the process alive by itself: it comes only if something else does.
    setTimeout(() => {
      console.error('the tests are done, and something keeps the process alive:', process.getActiveResourcesInfo());
      process.exit(DID_NOT_END);
    }, ENDS_WITHIN_MS).unref();
  });
}

process.once('exit', () => {
  if (!isDone && !process.exitCode) {
    console.error('the process ended before its tests were done');
    process.exitCode = ENDED_EARLY;
  }
  if (!timesFile) return;
  const times = { module: process.argv[1], wall: (Date.now() - startedAt) / 1000, ...processorTime() };
  appendFileSync(timesFile, `${JSON.stringify(times)}\n`);
});
