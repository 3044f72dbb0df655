import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { QUALITY_REASONS } from '@grove/vision';
import { faultTextOf } from './fault-text.ts';

const messages = JSON.parse(readFileSync(new URL('../../messages/capture/en.json', import.meta.url), 'utf8')) as Record<
  string,
  string
>;

test('every fault of quality that the engine names has words and a remedy of its own', () => {
  for (const reason of QUALITY_REASONS) {
    const key = faultTextOf(reason, 'card');
    assert.notEqual(key, 'otherCard', reason);
    assert.ok(messages[`fault.${key}`] && messages[`fault.${key}.remedy`], reason);
  }
});

test('a reason without a text, and one that would help a fraudster, gets the general text', () => {
  for (const reason of ['not_live', 'different_faces', 'toString', '']) {
    assert.equal(faultTextOf(reason, 'face'), 'otherFace');
  }
  assert.equal(faultTextOf('mrz_mismatch', 'card'), 'otherCard');
});
