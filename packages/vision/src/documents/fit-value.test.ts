import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pickBox } from './fit-value.ts';

const nine = { least: 9, most: 9 };
const five = { least: 5, most: 5 };

describe('print that may hold a value', () => {
  it('print is chosen by the number of characters that fit into it', () => {
    const [title, number, label] = [
      { length: 360, breadth: 40 },
      { length: 135, breadth: 30 },
      { length: 330, breadth: 20 },
    ];
    assert.equal(pickBox([title, number, label], [nine]), number);
  });

  it('print in higher letters is read first', () => {
    const [small, high] = [
      { length: 90, breadth: 20 },
      { length: 140, breadth: 30 },
    ];
    assert.equal(pickBox([small, high], [nine]), high);
  });

  it('print is left out if no value fits', () => {
    assert.equal(pickBox([{ length: 400, breadth: 20 }], [nine, five]), undefined);
    assert.equal(pickBox([], [nine]), undefined);
  });
});
