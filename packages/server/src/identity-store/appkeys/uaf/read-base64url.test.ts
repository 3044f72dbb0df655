import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Malformed } from './malformed.ts';
import { readBase64url } from './read-base64url.ts';

const read = (text: unknown, limits = { max: 100 }) => readBase64url(text, 'it', limits);

describe('strict base64url', () => {
  it('strict base64url decodes whatever was encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 100 }), (bytes) => {
        assert.deepEqual(read(Buffer.from(bytes).toString('base64url')), Buffer.from(bytes));
      }),
    );
  });

  it('strict base64url refuses padding, the other alphabet, spaces, a second spelling, and text that is too short or too long', () => {
    for (const text of ['', 'YQ==', 'YR', 'A', 'a+b/', ' YWJj', 'YWJj\n', 'YWJj!', undefined, 7, 'A'.repeat(200)]) {
      assert.throws(() => read(text), Malformed, String(text));
    }
    assert.throws(() => readBase64url('YWJj', 'it', { min: 4, max: 10 }), /not 4 to 10 bytes/);
  });
});
