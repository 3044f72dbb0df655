import assert from 'node:assert/strict';
import { it } from 'node:test';
import { csvOf } from './csv.ts';

it('a value that a spreadsheet would run becomes a text, and no value leaves its cell', () => {
  for (const first of ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
    assert.equal(csvOf([[`${first}cmd|' /C calc'!A0`]]), `"'${first}cmd|' /C calc'!A0"\r\n`, JSON.stringify(first));
  }
  assert.equal(csvOf([['a","=1', 'b\r\n=2', 3]]), '"a"",""=1","b\r\n=2","3"\r\n');
});
