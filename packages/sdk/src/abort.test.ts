import assert from 'node:assert/strict';
import { getActiveResourcesInfo } from 'node:process';
import { test } from 'node:test';
import { sleep, unlessAborted } from './abort.ts';

test('a sleep that is aborted ends at once and leaves no timer that would keep the process alive', async () => {
  const timers = () => getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const controller = new AbortController();
  const slept = sleep(600_000, controller.signal);
  assert.equal(timers(), before + 1);
  controller.abort(new Error('enough'));
  await assert.rejects(slept, /enough/);
  assert.equal(timers(), before);
});

test('waiting with a signal that is aborted already ends at once', async () => {
  const never = new Promise(() => {});
  await assert.rejects(unlessAborted(never, AbortSignal.abort(new Error('too late'))), /too late/);
});
