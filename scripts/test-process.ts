import { appendFileSync, readFileSync } from 'node:fs';
import { after } from 'node:test';

/** Loaded first in every process that runs tests. It sees to it that the process ends, and only when its tests are done. */
const ENDS_WITHIN_MS = Number(process.env.TEST_ENDS_WITHIN_MS ?? 10_000);
const ENDED_EARLY = 8;
const DID_NOT_END = 9;
const timesFile = process.env.TEST_TIMES_FILE;
const startedAt = Date.now();
let isDone = false;

/** To be called when all files are loaded, so that their own hooks come first. */
export function endWithTests(): void {
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
  if (timesFile) appendFileSync(timesFile, `${JSON.stringify({ module: process.argv[1], ...timesOfProcess() })}\n`);
});

/** Seconds of this process and of those that it has started and waited for; only Linux tells the latter. */
function timesOfProcess(): { wall: number; own: number; children: number } {
  const { user, system } = process.cpuUsage();
  const wall = (Date.now() - startedAt) / 1000;
  return { wall, own: (user + system) / 1e6, children: secondsOfChildren() };
}

function secondsOfChildren(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // A tick is a hundredth of a second wherever Node runs.
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return 0;
  }
}
