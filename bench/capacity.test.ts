import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { A_MILLION, capacityTable, needsOf } from './capacity.ts';

describe('the capacity that a number of verifications needs', () => {
  it('the capacity that a million verifications a day need is the one in docs/scaling.md', () => {
    const page = readFileSync(new URL('../docs/scaling.md', import.meta.url), 'utf8');
    assert.ok(page.includes(capacityTable(A_MILLION)), capacityTable(A_MILLION));
  });

  it('the capacity grows with the number of verifications, and with the busiest hour', () => {
    const peakOf = (demand: Partial<typeof A_MILLION>) => Number(needsOf({ ...A_MILLION, ...demand })[1]?.peak);
    assert.equal(peakOf({ perDay: 100_000 }), 23);
    assert.equal(peakOf({ perDay: 100_000, peak: 8 }), 45);
    assert.equal(peakOf({ perDay: 100_000, sides: 1 }), 13);
  });
});
