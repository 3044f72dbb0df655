import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { oncePerRun } from './once-per-run.ts';

function share(t: TestContext): void {
  const before = process.env.TEST_SHARED;
  const folder = mkdtempSync(join(tmpdir(), 'grove-shared-'));
  t.after(() => {
    if (before === undefined) delete process.env.TEST_SHARED;
    else process.env.TEST_SHARED = before;
    rmSync(folder, { recursive: true });
  });
  process.env.TEST_SHARED = folder;
}

test('a value that test files share is made once in a run and read unchanged; a file that runs by itself shares nothing', async (t) => {
  let times = 0;
  const make = async () => {
    times += 1;
    return new Map([['frame', Buffer.from([times])]]);
  };
  share(t);
  const [first, second] = [await oncePerRun('frames', make), await oncePerRun('frames', make)];
  assert.deepEqual([first, times], [second, 1]);
  assert.ok(Buffer.isBuffer(second.get('frame')));
  await oncePerRun('others', make);
  delete process.env.TEST_SHARED;
  await oncePerRun('frames', make);
  assert.equal(times, 3);
});

test('a file that needs a shared value while another makes it waits, and makes it itself if the other fails', async (t) => {
  share(t);
  let times = 0;
  const fail = async () => {
    times += 1;
    throw new Error('not today');
  };
  const make = async () => {
    times += 1;
    return times;
  };
  const answers = await Promise.allSettled([
    oncePerRun('number', fail),
    ...[1, 2].map(() => oncePerRun('number', make)),
  ]);
  assert.deepEqual(
    answers.map((answer) => ('value' in answer ? answer.value : answer.reason.message)),
    ['not today', 2, 2],
  );
});
