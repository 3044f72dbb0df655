import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { oncePerRun } from './once-per-run.ts';

test('what a run shares is made once and read as it was made; a file that runs by itself shares nothing', async (t) => {
  const before = process.env.TEST_SHARED;
  const folder = mkdtempSync(join(tmpdir(), 'grove-shared-'));
  t.after(() => {
    if (before === undefined) delete process.env.TEST_SHARED;
    else process.env.TEST_SHARED = before;
    rmSync(folder, { recursive: true });
  });
  let times = 0;
  const make = async () => {
    times += 1;
    return new Map([['frame', Buffer.from([times])]]);
  };
  process.env.TEST_SHARED = folder;
  const [first, second] = [await oncePerRun('frames', make), await oncePerRun('frames', make)];
  assert.deepEqual([first, times], [second, 1]);
  assert.ok(Buffer.isBuffer(second.get('frame')));
  await oncePerRun('others', make);
  delete process.env.TEST_SHARED;
  await oncePerRun('frames', make);
  assert.equal(times, 3);
});
