import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hintsOfSides } from './hints.ts';

test('the hints of both sides stand side by side under names of their own', () => {
  const hints = hintsOfSides([
    { side: 'front', hints: { source: 'auto', torch: false, milliseconds: 1200 } },
    { side: 'back', hints: { source: 'file' } },
  ]);
  assert.deepEqual(hints, { frontSource: 'auto', frontTorch: false, frontMilliseconds: 1200, backSource: 'file' });
});
