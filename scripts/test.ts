import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build as buildConsole, isFresh as isConsoleFresh } from '../packages/console/build.ts';
import { build as buildJourney, isFresh as isJourneyFresh } from '../packages/journey/build.ts';
import { startPostgres } from '../packages/server/test/postgres.ts';
import { bundleCommands } from './bundle-commands.ts';
import { endProcesses } from './end-processes.ts';
import { keepExercised } from './exercised.ts';
import { findChromium } from './find-chromium.ts';
import { groupTests } from './group-tests.ts';
import { IS_LONG } from './long.ts';
import { modules, runFiles, type Tally } from './run-files.ts';
import { TEST_SEED } from './test-seed.ts';
import { printTimes } from './test-times.ts';

/**
 * Runs every test, or those whose file names contain one of the given words, and ends with one plain line: `N passed, N failed`.
 * Files that end in `.alone.test.ts` run first, one at a time and with nothing beside them: they wait for a camera, and try
 * again if the machine is too slow. After that there are two processes more than cores, because many wait for a browser or a
 * child: first those that share a browser, load models or start processes, and the files that need a process of their own, then
 * those that share one. A whole run prints its processor time and the ten costliest files; with `--times` it prints all.
 */
const AT_A_TIME = availableParallelism() + 2;
/** The number of tests that the whole suite had when it last passed. A run with fewer tests fails. */
const COUNT_FILE = 'scripts/test-count.txt';
// A file or a group that hangs must not hang the run. Scripts with many rounds set a longer time.
const TIMEOUT_MS = Number(process.env.TEST_FILE_TIMEOUT_MS ?? 600_000);

const options = process.argv.slice(2).filter((word) => word.startsWith('--'));
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const isWhole = words.length === 0;
const files = globSync('{packages,scripts,examples,bench}/**/*.test.ts', { exclude: ['**/node_modules/**'] })
  .filter((file) => IS_LONG || !file.endsWith('.long.test.ts'))
  .filter((file) => isWhole || words.some((word) => file.includes(word)))
  .sort();
const isAlone = (file: string) => file.endsWith('.alone.test.ts');
const { apart, withModels, withBrowser, withChildren, together } = groupTests(files.filter((file) => !isAlone(file)));

const MEMORY = '/dev/shm';
const ROOM_BYTES = 8 * 1024 ** 3;
const folder = mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), 'grove-tests-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
// An interrupted run ends everything that it has started: tests, and the servers and browsers of tests.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    endProcesses();
    process.exit(1);
  });
}

const stop = await prepare();
const timesFile = join(folder, 'times.jsonl');
const isTimed = options.includes('--times');
process.env.TEST_TIMES_FILE = timesFile;
// Only a whole run records what the tests exercise.
const exercisedFile = join(folder, 'exercised.txt');
process.env.TEST_EXERCISED_FILE = isWhole ? exercisedFile : '';
const tally: Tally = { passed: 0, failures: [], skipped: [] };
const alone = files.filter(isAlone).map((file) => [file]);
const run = (groups: string[][], atATime: number) => runFiles(groups, { folder, timeout: TIMEOUT_MS, atATime }, tally);
const others = [...withBrowser, ...withModels, ...withChildren, ...apart.map((file) => [file]), ...together];
await run(alone, 1);
await run(others, AT_A_TIME);
await stop();
// A test that ran out of time may have left a server or a browser behind.
endProcesses();
if (isWhole) compareCount(tally);
// A response that a test received proves nothing if the test failed.
if (isWhole) keepExercised(tally.failures.length === 0 ? exercisedFile : undefined);

process.exitCode = tally.failures.length === 0 && tally.passed > 0 ? 0 : 1;
// Written last: after all output of the reporter, and before the folder with the times is removed.
process.prependOnceListener('exit', () => {
  if (isTimed || isWhole) printTimes(timesFile, modules, isTimed);
  for (const { name, file, reason } of tally.skipped) console.log(`skipped: ${name} (${file}): ${reason}`);
  for (const { name, file, reason } of tally.failures) console.log(`failed: ${name} (${file}): ${reason}`);
  console.log(`the seed of everything random was ${TEST_SEED}; TEST_SEED asks for another`);
  const skipped = tally.skipped.length > 0 ? `, ${tally.skipped.length} skipped` : '';
  console.log(`${tally.passed} passed, ${tally.failures.length} failed${skipped}`);
});

/** Skipped tests count, so that the number does not depend on the programs of the machine. */
function compareCount({ passed, skipped, failures }: Tally): void {
  // The long form has more tests, so its number is not compared.
  if (!existsSync(COUNT_FILE) || IS_LONG) return;
  const count = passed + skipped.length;
  const least = Number(readFileSync(COUNT_FILE, 'utf8'));
  if (count + failures.length < least) {
    const reason = `${count + failures.length} tests ran, and there were ${least}. If tests were removed, change the file`;
    failures.push({ name: 'the number of tests', file: COUNT_FILE, reason });
  }
  if (failures.length === 0 && count > least && !process.env.CI) writeFileSync(COUNT_FILE, `${count}\n`);
}

/** Tests kill processes, never the machine, so their files need not be on a disk if the memory has room for them. */
function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}

/** Prepares what the files share: a folder, compiled code, built pages, the commands, and one PostgreSQL. */
async function prepare(): Promise<() => Promise<void>> {
  process.env.CHROMIUM ??= findChromium({ install: true }) ?? '';
  // Code that the installation or an earlier run has compiled is not compiled again.
  process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/grove');
  // PostgreSQL may run as another user, who needs to enter the folder.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  process.env.TEST_SHARED = folder;
  if (files.length < 2 || process.env.TEST_POSTGRES) return async () => undefined;
  // Otherwise every server that a test starts would build them.
  if (!isJourneyFresh()) await buildJourney();
  if (!isConsoleFresh()) await buildConsole();
  const [commands, postgres] = await Promise.all([process.env.TEST_COMMANDS ?? bundleCommands(), startPostgres()]);
  process.env.TEST_COMMANDS = commands;
  process.env.TEST_POSTGRES = postgres.folder;
  return postgres.stop;
}
