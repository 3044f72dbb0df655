import { globSync } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { findChromium } from './find-chromium.ts';

/**
 * Runs every test, or those whose files hold one of the given words, two files at a time, and closes with one plain
 * line: `N passed, N failed`.
 */
const words = process.argv.slice(2);
const files = globSync('{packages,scripts,examples,bench}/**/*.test.ts', { exclude: ['**/node_modules/**'] })
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();

process.env.CHROMIUM ??= findChromium({ install: true }) ?? '';

let passed = 0;
let failed = 0;
let skipped = 0;
// A file that hangs must not hang everything; whoever asks for many rounds asks for more time as well.
const timeout = Number(process.env.TEST_FILE_TIMEOUT_MS ?? 300_000);
const stream = run({ files, concurrency: 2, timeout });
stream.on('test:pass', ({ details, skip }) => {
  if (details.type === 'suite') return;
  if (skip) skipped += 1;
  else passed += 1;
});
stream.on('test:fail', ({ details }) => {
  if (details.type !== 'suite') failed += 1;
});
stream.compose(spec).pipe(process.stdout);
stream.on('end', () => {
  // Written last, after the reporter has said everything it has to say.
  process.once('exit', () => {
    console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  });
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
});
