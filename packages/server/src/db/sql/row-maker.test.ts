import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rowMaker } from './row-maker.ts';

describe('rows', () => {
  it('rows have the names of the columns, in their order', () => {
    const row = rowMaker(['id', 'created_at', 'sealed'])(['one', 2, null]);
    assert.deepEqual(row, { id: 'one', created_at: 2, sealed: null });
    assert.deepEqual(Object.keys(row), ['id', 'created_at', 'sealed']);
  });

  it('rows may have column names that would be code', () => {
    const names = ['count(*)', "x']; throw new Error('run'); ['", 'of'];
    assert.deepEqual(rowMaker(names)([1, 2, 3]), { [names[0] as string]: 1, [names[1] as string]: 2, of: 3 });
  });

  it('rows with two columns of one name have the last value', () => {
    assert.deepEqual(rowMaker(['id', 'id'])([1, 2]), { id: 2 });
  });
});
