import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  challengeHash,
  judgeChallenge,
  newChallenge,
  REMEMBERED_MS,
  SINGLE_SHOT_WINDOW_MS,
} from './challenge-rules.ts';

const NOW = 1_800_000_000_000;
const RANDOM = 'A'.repeat(43);

describe('challenges', () => {
  it('challenges of the server have 256 random bits', () => {
    assert.equal(Buffer.from(newChallenge(), 'base64url').length, 32);
    assert.notEqual(newChallenge(), newChallenge());
  });

  it('challenges with a time are fresh for five minutes before and after it, plain and in base64url', () => {
    const plain = `${NOW}.${RANDOM}`;
    for (const challenge of [plain, Buffer.from(plain).toString('base64url')]) {
      for (const at of [-SINGLE_SHOT_WINDOW_MS, 0, SINGLE_SHOT_WINDOW_MS]) {
        const judgement = judgeChallenge(challenge, NOW + at);
        assert.ok(judgement.fresh && judgement.timed);
        // A challenge is remembered for as long as it is fresh.
        assert.ok(judgement.rememberUntil > NOW + SINGLE_SHOT_WINDOW_MS);
      }
      for (const at of [-SINGLE_SHOT_WINDOW_MS - 1, SINGLE_SHOT_WINDOW_MS + 1]) {
        assert.deepEqual(judgeChallenge(challenge, NOW + at), { fresh: false });
      }
    }
  });

  it('challenges of any other form are remembered for a day', () => {
    for (const challenge of ['x', `${NOW}.short`, `0${NOW}.${RANDOM}`, newChallenge()]) {
      assert.deepEqual(judgeChallenge(challenge, NOW), {
        fresh: true,
        timed: false,
        rememberUntil: NOW + REMEMBERED_MS,
      });
    }
  });

  it('challenges with a time have one hash in every spelling, so each works only once', () => {
    const plain = `${NOW}.${RANDOM}`;
    const encoded = Buffer.from(plain).toString('base64url');
    const hashes = [plain, encoded, `${encoded}=`, `${encoded}!`].map((each) => challengeHash('A', 'b', each));
    assert.equal(new Set(hashes.map((hash) => hash.toString('hex'))).size, 1);
    assert.notDeepEqual(challengeHash('A', 'b', 'eA'), challengeHash('A', 'b', 'x'));
  });

  it('challenges for different purposes have different hashes', () => {
    const hashes = [challengeHash('A', 'b', 'c'), challengeHash('A', 'bc', ''), challengeHash('B', 'b', 'c')];
    assert.equal(new Set(hashes.map((hash) => hash.toString('hex'))).size, 3);
  });
});
