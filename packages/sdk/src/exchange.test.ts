import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRetryAfter } from './exchange.ts';

test('Retry-After is read as seconds and as a date, and anything else is ignored', () => {
  const nowMs = Date.parse('2025-01-01T00:00:00Z');
  assert.equal(parseRetryAfter('7', nowMs), 7);
  assert.equal(parseRetryAfter('Wed, 01 Jan 2025 00:00:30 GMT', nowMs), 30);
  assert.equal(parseRetryAfter('Tue, 31 Dec 2024 23:59:00 GMT', nowMs), 0);
  assert.equal(parseRetryAfter('soon', nowMs), undefined);
  assert.equal(parseRetryAfter('-1', nowMs), undefined);
  assert.equal(parseRetryAfter(null, nowMs), undefined);
});
