import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fromDtm, toDtm } from './clock.ts';

describe('date-times', () => {
  it('date-times are written as Date writes them, from year 1 to 9999, in any order of calls', () => {
    const moments = fc.integer({
      min: Date.parse('0001-01-01T00:00:00Z'),
      max: Date.parse('9999-12-31T23:59:59.999Z'),
    });
    fc.assert(
      fc.property(fc.array(moments), (times) => {
        for (const time of times) assert.equal(toDtm(time), new Date(time).toISOString());
      }),
    );
    for (const time of [0, -1, 1, 86_399_999, 86_400_000, -86_400_000, 951_782_400_000, 253_402_300_799_999]) {
      assert.equal(toDtm(time), new Date(time).toISOString());
      assert.equal(fromDtm(toDtm(time)), time);
    }
  });
});
