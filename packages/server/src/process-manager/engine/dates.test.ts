import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ageAt, readDate } from './dates.ts';

const age = (born: string, moment: string) => ageAt(new Date(moment), readDate(born) as Date);

describe('the age of a person', () => {
  it('the age of a person increases at the beginning of the birthday, UTC', () => {
    assert.equal(age('2008-11-16', '2026-11-15T23:59:59.999Z'), 17);
    assert.equal(age('2008-11-16', '2026-11-16T00:00:00Z'), 18);
    assert.equal(age('2008-11-16', '2026-12-01T00:00:00Z'), 18);
    assert.equal(age('2026-11-16', '2026-11-16T00:00:00Z'), 0);
  });

  it('the age of a person born on the 29th of February increases on the 1st of March in other years', () => {
    assert.equal(age('2008-02-29', '2026-02-28T23:59:59Z'), 17);
    assert.equal(age('2008-02-29', '2026-03-01T00:00:00Z'), 18);
    assert.equal(age('2008-02-29', '2028-02-29T00:00:00Z'), 20);
  });
});

describe('a date of a document', () => {
  it('a date of a document must be a day of the calendar', () => {
    assert.equal(readDate('2008-02-29')?.toISOString(), '2008-02-29T00:00:00.000Z');
    assert.equal(readDate('0050-01-02')?.toISOString(), '0050-01-02T00:00:00.000Z');
    for (const text of [
      '2009-02-29',
      '2008-13-01',
      '2008-00-10',
      '2008-1-1',
      '20080101',
      ' 2008-01-01',
      '2008-01-01\n',
    ]) {
      assert.equal(readDate(text), undefined, text);
    }
  });
});
