import { globSync } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { findChromium } from './find-chromium.ts';

/**
 * Runs every test, or those whose files hold one of the given words, two files at a time, and closes with one plain
 * line: `N passed, N failed`. Files that end in `.alone.test.ts` come last and one at a time: somebody waits in them for
 * a camera and for the clock of a browser, and must not share the processor with others.
 */
const words = process.argv.slice(2);
const files = globSync('{packages,scripts,examples,bench}/**/*.test.ts', { exclude: ['**/node_modules/**'] })
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
const isAlone = (file: string) => file.endsWith('.alone.test.ts');

process.env.CHROMIUM ??= findChromium({ install: true }) ?? '';

// A file that hangs must not hang everything; whoever asks for many rounds asks for more time as well.
const timeout = Number(process.env.TEST_FILE_TIMEOUT_MS ?? 300_000);
let passed = 0;
let failed = 0;
let skipped = 0;

function runAll(some: string[], concurrency: number): Promise<void> {
  if (some.length === 0) return Promise.resolve();
  const stream = run({ files: some, concurrency, timeout });
  stream.on('test:pass', ({ details, skip }) => {
    if (details.type === 'suite') return;
    if (skip) skipped += 1;
    else passed += 1;
  });
  stream.on('test:fail', ({ details }) => {
    if (details.type !== 'suite') failed += 1;
  });
  stream.compose(spec).pipe(process.stdout, { end: false });
  return new Promise((ended) => stream.once('end', ended));
}

await runAll(
  files.filter((file) => !isAlone(file)),
  2,
);
await runAll(files.filter(isAlone), 1);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
// Written last, after the reporter has said everything it has to say.
process.once('exit', () => {
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
});
