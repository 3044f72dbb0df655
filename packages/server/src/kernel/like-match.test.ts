import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { likeMatch } from './like-match.ts';

describe('a LIKE pattern', () => {
  it('a LIKE pattern is recognised as a whole text or as a prefix, if it is one', () => {
    assert.deepEqual([likeMatch('a\\%b').exact, likeMatch('a\\%b').beginning], ['a%b', undefined]);
    assert.deepEqual([likeMatch('ab%').exact, likeMatch('ab%').beginning], [undefined, 'ab']);
    assert.deepEqual([likeMatch('a_%').exact, likeMatch('a_%').beginning], [undefined, undefined]);
  });

  it('a LIKE pattern matches what SQLite matches', () => {
    const database = new DatabaseSync(':memory:');
    const like = database.prepare("SELECT ? LIKE ? ESCAPE '\\' AS same");
    const texts = ['', 'a', 'ab', 'abc', 'aabbab', 'a%b', 'a_b', 'b', 'äb', 'a😀b', 'aaaaaaaaab'];
    const patterns = [
      '%',
      'a%',
      '%b',
      '%a%b%',
      'a_b',
      'a\\%b',
      'a\\_b',
      '_',
      '__',
      '%%',
      'a%a%b',
      '%_b',
      'a😀%',
      '%\\%%',
    ];
    for (const text of texts) {
      for (const pattern of patterns) {
        const { same } = like.get(text, pattern) as { same: number };
        assert.equal(likeMatch(pattern).matches(text), same === 1, `${text} LIKE ${pattern}`);
      }
    }
    database.close();
  });

  it('a LIKE pattern with very many wildcards takes time in proportion to its length', () => {
    const pattern = `${'%a'.repeat(120)}%b`;
    const before = process.cpuUsage();
    for (let each = 0; each < 100; each++) assert.equal(likeMatch(pattern).matches('a'.repeat(255)), false);
    assert.ok(process.cpuUsage(before).user < 2_000_000);
  });
});
