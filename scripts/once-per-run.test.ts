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

test('what a run shares is made once and read as it was made; a file that runs by itself shares nothing', async (t) => {
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

test('who comes while it is made waits for it, and makes it if the other could not', async (t) => {
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
