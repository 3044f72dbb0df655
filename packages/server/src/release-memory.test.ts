import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapSpaceStatistics } from 'node:v8';
import { releaseMemory } from './release-memory.ts';

const MB = 1_048_576;

function sizeOfYoungSpace(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? Number.NaN;
}

test('releaseMemory makes the space of young objects small again after a start', () => {
  let objects: object[] = [];
  for (let number = 0; sizeOfYoungSpace() < 8 * MB && number < 50_000_000; number++) {
    if (number % 200_000 === 0) objects = [];
    objects.push({ number });
  }
  const grown = sizeOfYoungSpace();
  assert.ok(grown >= 8 * MB, `it has grown to ${grown} bytes`);

  releaseMemory();

  assert.ok(sizeOfYoungSpace() <= 2 * MB, `it has ${sizeOfYoungSpace()} bytes`);
  assert.equal(typeof (globalThis as { gc?: unknown }).gc, 'undefined', 'nobody else can ask for a collection');
});
