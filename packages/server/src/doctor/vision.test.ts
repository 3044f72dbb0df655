import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkVision } from './vision.ts';

test('doctor warns if image analysis is switched on and its packages are missing', () => {
  assert.equal(checkVision('lazy', false).state, 'warning');
  assert.equal(checkVision('lazy', true).state, 'ok');
  assert.equal(checkVision('off', false).state, 'ok');
});
