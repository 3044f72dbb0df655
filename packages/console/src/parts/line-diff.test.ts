import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diffLines } from './line-diff.ts';

const signedLines = (before: string, after: string) =>
  diffLines(before, after).map(({ sign, text }) => `${sign}${text}`);

describe('the differences of two texts', () => {
  it('the differences of two texts show lines that were added, removed and changed, and those around them', () => {
    assert.deepEqual(signedLines('a\nb\nc', 'a\nx\nc\nd'), [' a', '-b', '+x', ' c', '+d']);
    assert.deepEqual(signedLines('a', 'a'), [' a']);
    assert.deepEqual(signedLines('a\nb', 'b'), ['-a', ' b']);
  });

  it('the differences of any two texts contain both texts', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let round = 0; round < 100; round += 1) {
      const [before, after] = [1, 2].map(() =>
        Array.from({ length: random(12) + 1 }, () => 'abc'[random(3)]).join('\n'),
      );
      const lines = diffLines(before as string, after as string);
      const side = (signs: string) => lines.filter(({ sign }) => signs.includes(sign)).map(({ text }) => text);
      assert.equal(side(' -').join('\n'), before);
      assert.equal(side(' +').join('\n'), after);
    }
  });
});
