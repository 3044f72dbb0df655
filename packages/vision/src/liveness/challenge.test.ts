import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { CHALLENGE_SECONDS, CHALLENGE_TURNS, newChallenge } from './challenge.ts';

test('a challenge begins at the centre, never asks for one direction twice in a row, and lives for a minute', () => {
  for (let times = 0; times < 200; times += 1) {
    const { poses, issuedAt, expiresAt } = newChallenge({ random: randomBytes, now: 5000 });
    assert.equal(poses.length, CHALLENGE_TURNS + 1);
    assert.equal(poses[0], 'centre');
    assert.ok(poses.slice(1).every((pose, at) => pose !== 'centre' && pose !== poses[at]));
    assert.deepEqual([issuedAt, expiresAt], [5000, 5000 + CHALLENGE_SECONDS * 1000]);
  }
});

test('all 108 sequences come up, and no nonce twice', () => {
  const challenges = Array.from({ length: 4000 }, () => newChallenge({ random: randomBytes, now: 0 }));
  assert.equal(new Set(challenges.map(({ poses }) => poses.join())).size, 108);
  assert.equal(new Set(challenges.map(({ nonce }) => nonce)).size, 4000);
  assert.ok(challenges.every(({ nonce }) => Buffer.from(nonce, 'base64url').length === 16));
});

test('the same random bytes give the same challenge: nothing else has a say', () => {
  const make = () => {
    let next = 0;
    const random = (bytes: number) => {
      next += 41;
      return Uint8Array.from({ length: bytes }, (_, at) => (next + at) % 256);
    };
    return newChallenge({ random, now: 1 });
  };
  assert.deepEqual(make(), make());
});

test('a broken source of random bytes is a fault, not an endless wait', () => {
  assert.throws(() => newChallenge({ random: (bytes) => new Uint8Array(bytes).fill(255), now: 0 }), /broken/);
});
