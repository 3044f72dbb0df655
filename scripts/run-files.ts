import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';

/** The result of a test. A test that failed has failed: no test is run a second time. */
export type Outcome = { readonly name: string; readonly file: string; readonly reason: string };
export type Tally = { passed: number; readonly failures: Outcome[]; readonly skipped: Outcome[] };

export type RunSettings = {
  /** The folder of the modules that load the files, and of the times that each process reports. */
  readonly folder: string;
  readonly atATime: number;
  readonly timeout: number;
};

/** The files that each written module loads. */
export const modules = new Map<string, readonly string[]>();

const address = (name: string) => new URL(name, import.meta.url).href;

/** Runs groups of files, each in a process of its own, and adds the results to the tally. */
export async function runFiles(groups: readonly string[][], settings: RunSettings, tally: Tally): Promise<void> {
  if (groups.length === 0) return;
  const { folder, atATime, timeout } = settings;
  const stream = run({
    files: groups.map((group) => writeModule(folder, group)),
    concurrency: atATime,
    timeout,
  });
  const withTests = new Set<string>();
  const placeOf = ({ file, name }: { file?: string | undefined; name: string }) => {
    const group = modules.get(file ?? name);
    return group ? group.join(', ') : relative(process.cwd(), file ?? name);
  };
  // A suite announces the number of its tests just before it passes. A suite without tests announces nothing.
  let announcedAt: number | undefined;
  stream.on('test:plan', ({ nesting }) => {
    announcedAt = nesting;
  });
  stream.on('test:pass', (event) => {
    const { details, nesting, skip, todo, name, entryFile } = event as typeof event & { entryFile?: string };
    const hasTests = announcedAt === nesting + 1;
    announcedAt = undefined;
    // Only events of tests have an entry file. The event of a process has none; it passes even without tests.
    if (entryFile === undefined) return;
    const file = placeOf(event);
    withTests.add(file);
    if (skip !== undefined) tally.skipped.push({ name, file, reason: String(skip) });
    // A test that is still to be written proves nothing.
    else if (todo !== undefined) tally.skipped.push({ name, file, reason: `todo: ${String(todo)}` });
    else if (details.type !== 'suite') tally.passed += 1;
    else if (!hasTests) tally.failures.push({ name, file, reason: 'the suite has no tests' });
  });
  stream.on('test:fail', (event) => {
    announcedAt = undefined;
    const file = placeOf(event);
    withTests.add(file);
    // A suite fails with its tests, which are counted themselves; but also if a hook or its body throws.
    const error = event.details.error as Error & { failureType?: string };
    if (error.failureType === 'subtestsFailed') return;
    const name = modules.has(event.name) ? 'the process of these files' : event.name;
    tally.failures.push({ name, file, reason: error.message.split('\n', 1)[0] ?? '' });
  });
  stream.compose(spec).pipe(process.stdout, { end: false });
  await new Promise((ended) => stream.once('end', ended));
  for (const file of groups.flat()) {
    if (!withTests.has(file)) tally.failures.push({ name: file, file, reason: 'no test of it has run' });
  }
}

/** A module that loads all files of a group before the first test begins. One that cannot be loaded fails. */
function writeModule(folder: string, group: readonly string[]): string {
  const files = group.map((file) => pathToFileURL(file).href);
  const hasProperties = group.some((file) => readFileSync(file, 'utf8').includes("from 'fast-check'"));
  // With several files, no test begins before all files are loaded. A single file may await a test while it is loaded.
  const text = `import { before, test } from 'node:test';
import { endWithTests } from ${JSON.stringify(address('./test-process.ts'))};
${hasProperties ? `import ${JSON.stringify(address('./seed-properties.ts'))};` : ''}
const files = ${JSON.stringify(files, null, 2)};
const load = async () => {
  for (const file of files) {
    await import(file).catch((error) => void test(\`\${file} can be loaded\`, () => Promise.reject(error)));
  }
};
const loaded = load();
${group.length > 1 ? 'before(() => loaded);' : ''}
await loaded;
endWithTests();
`;
  const path = join(folder, `files-${modules.size + 1}.mjs`);
  modules.set(path, group);
  writeFileSync(path, text);
  return path;
}
