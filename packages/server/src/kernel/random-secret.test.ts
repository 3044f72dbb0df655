import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSecret } from './random-secret.ts';

test('secrets have 256 bits and are never repeated, across the refills of their pool', () => {
  const secrets = Array.from({ length: 2000 }, randomSecret);
  assert.equal(new Set(secrets).size, secrets.length);
  const ones = secrets.reduce((sum, secret) => {
    const bytes = Buffer.from(secret, 'base64url');
    assert.equal(bytes.length, 32);
    return sum + bytes.reduce((count, byte) => count + byte.toString(2).replaceAll('0', '').length, 0);
  }, 0);
  // Half of 512,000 bits, within ten standard deviations.
  assert.ok(Math.abs(ones - 256_000) < 3600, `${ones} bits are set`);
});
