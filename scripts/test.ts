import { chmodSync, globSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { build, isFresh } from '../packages/journey/build.ts';
import { startPostgres } from '../packages/server/test/postgres.ts';
import { findChromium } from './find-chromium.ts';
import { groupTests } from './group-tests.ts';

/**
 * Runs every test, or those whose files hold one of the given words, and closes with one plain line: `N passed, N failed`.
 * Three processes at a time, since many wait for others: first the files that need a process of their own, then those
 * that share one. Files that end in `.alone.test.ts` come last and one at a time: somebody waits in them for a camera and
 * for the clock of a browser, and must not share the processor with others.
 */
const AT_A_TIME = 3;
const words = process.argv.slice(2);
const files = globSync('{packages,scripts,examples,bench}/**/*.test.ts', { exclude: ['**/node_modules/**'] })
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
const isAlone = (file: string) => file.endsWith('.alone.test.ts');
const { apart, together } = groupTests(files.filter((file) => !isAlone(file)));

// What hangs must not hang everything, be it a file or a group; whoever asks for many rounds asks for more time as well.
const timeout = Number(process.env.TEST_FILE_TIMEOUT_MS ?? 600_000);
// More than these, and it is not chance.
const SECOND_LOOKS = 3;
let passed = 0;
let skipped = 0;
let failures: { readonly name: string; readonly file: string }[] = [];

const MEMORY = '/dev/shm';
const ROOM_BYTES = 8 * 1024 ** 3;
const folder = mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), 'grove-tests-'));
const groups = new Map(together.map((group, at) => [writeGroup(join(folder, `together-${at + 1}.mjs`), group), group]));
// Whoever ends a run early ends what it has started with it.
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
const stop = await prepare();
await runAll([...apart, ...groups.keys()], AT_A_TIME);
await runAll(files.filter(isAlone), 1);
const recovered = await lookAgain();
await stop();

process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1;
// Written last, after the reporter has said everything it has to say.
process.once('exit', () => {
  for (const { name, file } of recovered) console.log(`failed among others and passed alone: ${name} (${file})`);
  console.log(`${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
});

/**
 * Three processes on two cores delay one another, and a test may fail for that alone. The few files that failed run once
 * more, one at a time; what passes then counts as passed, and is named at the end, since it may also be a race.
 */
async function lookAgain(): Promise<typeof failures> {
  const before = failures;
  const again = [...new Set(before.map(({ file }) => file))];
  if (again.length === 0 || again.length > SECOND_LOOKS) return [];
  const counted = { passed, skipped };
  failures = [];
  await runAll(again, 1);
  const recovered = before.filter(({ name, file }) => !failures.some((one) => one.name === name && one.file === file));
  passed = counted.passed + recovered.length;
  skipped = counted.skipped;
  return recovered;
}

/** Tests kill processes, never the machine: where memory has room for it, nothing of theirs goes to the disk. */
function hasRoom(place: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}

/** What the files share: a folder, what was compiled, the built pages, and one PostgreSQL. A single file has its own. */
async function prepare(): Promise<() => Promise<void>> {
  process.env.CHROMIUM ??= findChromium({ install: true }) ?? '';
  process.env.NODE_COMPILE_CACHE ??= join(folder, 'compiled');
  // PostgreSQL may run as somebody else, who has to pass.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  if (files.length < 2) return async () => undefined;
  if (!isFresh()) await build();
  const postgres = await startPostgres();
  process.env.TEST_POSTGRES = postgres.folder;
  return postgres.stop;
}

/** A module that loads all files of a group before the first test begins. One that cannot be loaded fails. */
function writeGroup(path: string, group: readonly string[]): string {
  const addresses = group.map((file) => pathToFileURL(file).href);
  const text = `import { before, test } from 'node:test';
const files = ${JSON.stringify(addresses, null, 2)};
const load = async () => {
  for (const file of files) {
    await import(file).catch((error) => void test(\`\${file} can be loaded\`, () => Promise.reject(error)));
  }
};
const loaded = load();
before(() => loaded);
await loaded;
`;
  writeFileSync(path, text);
  return path;
}

function runAll(some: string[], concurrency: number): Promise<void> {
  if (some.length === 0) return Promise.resolve();
  const stream = run({ files: some, concurrency, timeout });
  stream.on('test:pass', ({ details, skip }) => {
    if (details.type === 'suite') return;
    if (skip) skipped += 1;
    else passed += 1;
  });
  stream.on('test:fail', ({ details, name, file }) => {
    if (details.type !== 'suite') failures.push({ name, file: file ?? name });
    // The process itself did not end well, and its tests may not tell which of them it was.
    const group = groups.get(name);
    if (group) console.log(`${name} holds:\n  ${group.join('\n  ')}`);
  });
  stream.compose(spec).pipe(process.stdout, { end: false });
  return new Promise((ended) => stream.once('end', ended));
}
