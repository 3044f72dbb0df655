import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Tests the runner with files that are written for it: whatever fails in them, the run must report it. */
const RUNNER = fileURLToPath(new URL('./test.ts', import.meta.url));
const FAST_CHECK = import.meta.resolve('fast-check');
const NAMES = "import { after, before, describe, it, test } from 'node:test';\n";
const GOOD = "test('works', () => {});\n";

type Ended = { code: number | null; output: string; last: string };

function writeFiles(t: TestContext, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'grove-runner-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, name.endsWith('.ts') ? NAMES + text : text);
  }
  return folder;
}

function start(folder: string, words: readonly string[] = [], environment: NodeJS.ProcessEnv = {}): ChildProcess {
  // With this variable the runner does not start PostgreSQL, which these files do not need.
  const env: NodeJS.ProcessEnv = { TEST_POSTGRES: folder, ...process.env, TEST_ENDS_WITHIN_MS: '500' };
  for (const name of ['NODE_TEST_CONTEXT', 'TEST_TIMES_FILE', 'TEST_LONG', 'GROVE_TEST_RUN', 'CI']) delete env[name];
  Object.assign(env, environment);
  return spawn(process.execPath, [RUNNER, ...words], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
}

async function runs(folder: string, words: readonly string[] = [], environment?: NodeJS.ProcessEnv): Promise<Ended> {
  const child = start(folder, words, environment);
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, last: output.trimEnd().split('\n').at(-1) ?? '' };
}

const inOneFile = async (t: TestContext, text: string) => runs(writeFiles(t, { 'packages/a/one.test.ts': text }));

describe('a run fails', () => {
  const FAULTS: readonly (readonly [title: string, text: string, last: string, reason: RegExp])[] = [
    ['if a test fails', `${GOOD}test('bad', () => { throw new Error('no'); });`, '1 passed, 1 failed', /bad .*: no/],
    [
      'with the number of its failed tests, without the suites around them',
      "describe('s', () => { describe('t', () => { it('bad', () => { throw new Error('no'); }); it('works', () => {}); }); });",
      '1 passed, 1 failed',
      /failed: bad .*: no/,
    ],
    [
      'if the hook after a suite throws',
      "describe('s', () => { after(() => { throw new Error('late'); }); it('works', () => {}); });",
      '1 passed, 1 failed',
      /failed: s .*after hook/,
    ],
    [
      'if the body of a suite throws',
      `${GOOD}describe('s', () => { throw new Error('early'); });`,
      '1 passed, 1 failed',
      /failed: s .*: early/,
    ],
    [
      'if the body of a suite rejects',
      `${GOOD}describe('s', async () => { throw new Error('early'); });`,
      '1 passed, 1 failed',
      /failed: s .*: early/,
    ],
    [
      'at once if the hook before a suite throws, even if the hook has opened a server',
      `import { createServer } from 'node:net';
describe('s', () => { before(() => { createServer().listen(0); throw new Error('x'); }); it('one', () => {}); });`,
      '0 passed, 2 failed',
      /failed: s .*before hook/,
    ],
    [
      'if something keeps a process alive after its tests are done',
      `import { createServer } from 'node:net'; ${GOOD} createServer().listen(0);`,
      '1 passed, 1 failed',
      /keeps the process alive[\s\S]*failed: the process of these files \(packages/,
    ],
    [
      'if the hook after a file throws',
      `${GOOD}after(() => { throw new Error('late'); });`,
      '1 passed, 1 failed',
      /failed: .*one\.test\.ts/,
    ],
    [
      'if a file has no tests',
      'export {};',
      '0 passed, 1 failed',
      /failed: packages\/a\/one\.test\.ts .*no test of it/,
    ],
    [
      'if a file cannot be loaded',
      "import './missing.ts';",
      '0 passed, 1 failed',
      /can be loaded[\s\S]*Cannot find module/,
    ],
    [
      'if a process ends with exit code 0 in the middle of a test',
      "it('one', () => {}); it('two', () => process.exit(0)); it('three', () => {});",
      '0 passed, 1 failed',
      /ended before its tests were done[\s\S]*failed: the process of these files/,
    ],
    [
      'if a process ends with exit code 0 between two tests',
      "await test('one', () => {}); process.exit(0);",
      '0 passed, 1 failed',
      /failed: the process of these files/,
    ],
    [
      'if a promise rejects that nothing awaits',
      "it('one', () => { Promise.reject(new Error('lost')); });",
      '1 passed, 1 failed',
      /Error: lost[\s\S]*failed: the process of these files/,
    ],
    [
      'if a timer throws while a test waits for something else',
      `import { setTimeout as wait } from 'node:timers/promises';
it('one', async () => { await wait(1); setTimeout(() => { throw new Error('lost'); }, 1); await wait(100); });`,
      '1 passed, 1 failed',
      /Error: lost[\s\S]*failed: the process of these files/,
    ],
  ];
  for (const [title, text, last, reason] of FAULTS) {
    test(`a run fails ${title}`, async (t) => {
      const ended = await inOneFile(t, text);
      assert.deepEqual([ended.code, ended.last], [1, last], ended.output);
      assert.match(ended.output, reason);
    });
  }

  test('a run fails if one of the files that share a process has no tests', async (t) => {
    const folder = writeFiles(t, {
      'packages/server/src/one.test.ts': GOOD,
      'packages/server/src/two.test.ts': 'export {};',
    });
    const { code, last, output } = await runs(folder);
    assert.deepEqual([code, last], [1, '1 passed, 1 failed'], output);
    assert.match(output, /failed: packages\/server\/src\/two\.test\.ts .*no test of it has run/);
  });

  test('a run fails if a suite has no tests', async (t) => {
    const folder = writeFiles(t, {
      'packages/server/src/one.test.ts': `${GOOD}describe('full', () => { it('one', () => {}); describe('bare', () => {}); });`,
      'packages/server/src/two.test.ts': "describe('empty', () => { for (const each of []) it(each, () => {}); });",
    });
    const { code, last, output } = await runs(folder);
    assert.deepEqual([code, last], [1, '2 passed, 2 failed'], output);
    assert.match(output, /failed: bare .*one\.test\.ts.*: the suite has no tests/);
    assert.match(output, /failed: empty .*two\.test\.ts.*: the suite has no tests/);
  });

  test('a run fails if a test fails the first time and would pass the second time', async (t) => {
    const text = `import { existsSync, writeFileSync } from 'node:fs';
test('by chance', () => { if (existsSync('been')) return; writeFileSync('been', ''); throw new Error('the first time'); });`;
    const { code, last } = await inOneFile(t, text);
    assert.deepEqual([code, last], [1, '0 passed, 1 failed']);
  });

  test('a run fails if a file exceeds its time limit', async (t) => {
    const text = "it('one', () => new Promise(() => setInterval(() => undefined, 1000)));";
    const folder = writeFiles(t, { 'packages/a/one.test.ts': text });
    const { code, last, output } = await runs(folder, [], { TEST_FILE_TIMEOUT_MS: '2000' });
    assert.equal(code, 1, output);
    assert.match(last, /^0 passed, [12] failed$/);
    assert.match(output, /timed out/);
  });

  test('a run fails if no file contains any of the words', async (t) => {
    const { code, last } = await runs(writeFiles(t, { 'packages/a/one.test.ts': GOOD }), ['nothing']);
    assert.deepEqual([code, last], [1, '0 passed, 0 failed']);
  });

  test('a whole run fails if it has fewer tests than the last one, and a run of some files does not', async (t) => {
    const folder = writeFiles(t, { 'packages/a/one.test.ts': GOOD, 'scripts/test-count.txt': '2\n' });
    const { code, last, output } = await runs(folder);
    assert.deepEqual([code, last], [1, '1 passed, 1 failed']);
    assert.match(output, /failed: the number of tests .*1 tests ran, and there were 2/);
    assert.deepEqual((await runs(folder, ['one'])).code, 0);
  });
});

describe('a run that passes', () => {
  test('a run that passes ends with the numbers, and names every skipped test and suite with the reason', async (t) => {
    const text = `${GOOD}test('left out', { skip: 'no tool' }, () => {});
describe('all left out', { skip: 'no server' }, () => { it('one', () => {}); });
describe('a good suite', () => { it('one', () => {}); });`;
    const { code, last, output } = await inOneFile(t, text);
    assert.deepEqual([code, last], [0, '2 passed, 0 failed, 2 skipped']);
    assert.match(output, /skipped: left out \(packages\/a\/one\.test\.ts\): no tool/);
    assert.match(output, /skipped: all left out \(packages\/a\/one\.test\.ts\): no server/);
  });

  test('a run that passes counts a test that is still to be written as skipped, not as passed', async (t) => {
    const { code, last, output } = await inOneFile(
      t,
      `${GOOD}test.todo('later'); test('soon', { todo: 'by May' }, () => {});`,
    );
    assert.deepEqual([code, last], [0, '1 passed, 0 failed, 2 skipped']);
    assert.match(output, /skipped: later \(packages\/a\/one\.test\.ts\): todo/);
    assert.match(output, /skipped: soon .*: todo: by May/);
  });

  test('a run that passes stores the number of its tests, including those that were skipped', async (t) => {
    const text = `${GOOD}test('left out', { skip: 'no tool' }, () => {});`;
    const folder = writeFiles(t, { 'packages/a/one.test.ts': text, 'scripts/test-count.txt': '1\n' });
    assert.equal((await runs(folder)).code, 0);
    assert.equal(readFileSync(join(folder, 'scripts/test-count.txt'), 'utf8'), '2\n');
  });

  test('a run stores no number of tests if it failed, or if it runs in CI, where nobody would commit it', async (t) => {
    const bad = "test('bad', () => { throw new Error('no'); });";
    for (const [text, environment] of [
      [`${GOOD}${GOOD}${bad}`, {}],
      [`${GOOD}${GOOD}`, { CI: '1' }],
    ] as const) {
      const folder = writeFiles(t, { 'packages/a/one.test.ts': text, 'scripts/test-count.txt': '1\n' });
      await runs(folder, [], environment);
      assert.equal(readFileSync(join(folder, 'scripts/test-count.txt'), 'utf8'), '1\n');
    }
  });

  test('a whole run that passes stores what it has exercised, in place of an earlier run, and a failed run removes it', async (t) => {
    const text = `import { appendFileSync } from 'node:fs';
test('exercises', () => { if (process.env.TEST_EXERCISED_FILE) appendFileSync(process.env.TEST_EXERCISED_FILE, 'GET /new 200\\n'); });`;
    const place = 'node_modules/.cache/grove/exercised.txt';
    const folder = writeFiles(t, { 'packages/a/one.test.ts': text, [place]: 'GET /old 200\n' });
    const storedLines = () => readFileSync(join(folder, place), 'utf8');
    assert.equal((await runs(folder, ['one'])).code, 0);
    assert.equal(storedLines(), 'GET /old 200\n');
    assert.equal((await runs(folder)).code, 0);
    assert.equal(storedLines(), 'GET /new 200\n');
    writeFileSync(join(folder, 'packages/a/two.test.ts'), `${NAMES}test('bad', () => { throw new Error('no'); });`);
    assert.equal((await runs(folder)).code, 1);
    assert.equal(existsSync(join(folder, place)), false, 'what a test read that then failed is not exercised');
  });

  test('a run does not follow the promises of a test, and still declares tests in their suites', async (t) => {
    const { last, output } = await inOneFile(
      t,
      `import assert from 'node:assert/strict';
import { executionAsyncId } from 'node:async_hooks';
describe('s', () => {
  let isReady = false;
  before(() => { isReady = true; });
  it('one', async () => {
    assert.ok(isReady);
    await null;
    const id = executionAsyncId();
    await null;
    assert.equal(executionAsyncId(), id, 'a promise that is followed has an id of its own');
  });
});`,
    );
    assert.equal(last, '1 passed, 0 failed', output);
  });

  test('a run generates the same random inputs each time, prints their seed, and accepts another seed', async (t) => {
    const text = `import fc from 'fast-check'; import { appendFileSync } from 'node:fs';
test('property', () => fc.assert(fc.property(fc.integer(), (n) => appendFileSync('made', n + ' '))));
// from '${FAST_CHECK}'`.replace("from 'fast-check'", `from '${FAST_CHECK}'`);
    const file = `// It comes from 'fast-check'.\n${text}`;
    const folder = writeFiles(t, { 'packages/a/one.test.ts': file });
    const inputsOf = async (seed?: string) => {
      const { code, output } = await runs(folder, [], seed ? { TEST_SEED: seed } : {});
      assert.equal(code, 0, output);
      assert.match(output, new RegExp(`seed of everything random was ${seed ?? '\\d+'}`));
      const inputs = readFileSync(join(folder, 'made'), 'utf8');
      rmSync(join(folder, 'made'));
      return inputs;
    };
    const first = await inputsOf();
    assert.equal(await inputsOf(), first);
    assert.notEqual(await inputsOf('7'), first);
  });

  test('a run leaves out the files of the long form, and the long form runs them as well', async (t) => {
    const folder = writeFiles(t, { 'packages/a/one.test.ts': GOOD, 'packages/a/two.long.test.ts': GOOD });
    const lastLine = async (environment?: NodeJS.ProcessEnv) => (await runs(folder, [], environment)).last;
    assert.deepEqual(
      [await lastLine(), await lastLine({ TEST_LONG: '1' })],
      ['1 passed, 0 failed', '2 passed, 0 failed'],
    );
  });

  test('a run prints its processor time and the ten costliest files, or all files with --times', async (t) => {
    const names = Array.from({ length: 12 }, (_, at) => `packages/a/${at}.test.ts`);
    const folder = writeFiles(t, Object.fromEntries(names.map((name) => [name, GOOD])));
    const countListed = async (...words: string[]) => {
      const { output } = await runs(folder, words);
      assert.match(output, /^in \d+\.\d minutes the processors of the machine worked for \d+\.\d minutes$/m);
      assert.match(output, /12 processes took \d+\.\d minutes of processor time/);
      return output.match(/^ +\d+\.\d +\d+\.\d +packages\/a\/\d+\.test\.ts$/gm)?.length;
    };
    assert.deepEqual([await countListed(), await countListed('--times')], [10, 12]);
  });
});

test('an interrupted run ends its tests and the processes that they have started', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const child = `spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', detached: true })`;
  const text = `import { spawn } from 'node:child_process'; import { renameSync, writeFileSync } from 'node:fs';
test('waits', async () => {
  const started = ${child};
  writeFileSync('pids.new', [process.pid, started.pid].join(' '));
  renameSync('pids.new', 'pids');
  await new Promise((done) => setTimeout(done, 60_000));
});`;
  const folder = writeFiles(t, { 'packages/a/one.test.ts': text });
  const runner = start(folder);
  const over = once(runner, 'exit');
  const pids = join(folder, 'pids');
  while (!existsSync(pids)) await wait(50);
  runner.kill('SIGTERM');
  assert.deepEqual(await over, [1, null]);
  for (const pid of readFileSync(pids, 'utf8').split(' ')) {
    // A killed process exists until the machine has removed it.
    for (let tries = 0; isAlive(pid); tries++) {
      assert.ok(tries < 200, `process ${pid} lives on`);
      await wait(50);
    }
  }
});

const isAlive = (pid: string) =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
