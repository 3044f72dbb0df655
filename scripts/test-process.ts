import { type AsyncHook, createHook } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';
import { after } from 'node:test';
import { processorTime } from './processor-time.ts';

/** Loaded first in every process that runs tests. It ensures that the process ends, but not before its tests are done. */
const ENDS_WITHIN_MS = Number(process.env.TEST_ENDS_WITHIN_MS ?? 10_000);
const ENDED_EARLY = 8;
const DID_NOT_END = 9;
const timesFile = process.env.TEST_TIMES_FILE;
const startedAt = Date.now();
let isDone = false;

/**
 * `node:test` follows every promise to know in which suite a test is declared, which takes a sixth of the processor time. No
 * test is declared after the files are loaded, so following ends then. From then on an unhandled error fails the process, not
 * a single test.
 */
const followers: AsyncHook[] = [];
const hooks = Object.getPrototypeOf(createHook({})) as AsyncHook;
const { enable } = hooks;
hooks.enable = function () {
  followers.push(this);
  return enable.call(this);
};

/** Must be called when all files are loaded, so that their own hooks run first. */
export function endWithTests(): void {
  endAfterTests();
  hooks.enable = enable;
  for (const follower of followers) follower.disable();
}

function endAfterTests(): void {
  after(() => {
    isDone = true;
    // The timer does not keep the process alive; it fires only if something else does.
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
