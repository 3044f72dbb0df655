import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lineDiff } from './line-diff.ts';

const signedLines = (before: string, after: string) =>
  lineDiff(before, after).map(({ mark, text }) => `${mark}${text}`);
const numbered = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`);

test('a diff shows changed lines with three lines around them, and one mark for each gap', () => {
  const before = numbered(1, 20);
  const after = before.map((line) => (line === 'line 10' ? 'line ten' : line));
  assert.deepEqual(signedLines(before.join('\n'), after.join('\n')), [
    '…',
    ' line 7',
    ' line 8',
    ' line 9',
    '-line 10',
    '+line ten',
    ' line 11',
    ' line 12',
    ' line 13',
    '…',
  ]);
});

test('the added, removed and common lines of a diff make both texts again', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before.join('\n'), after.join('\n'));
      if (lines.some(({ mark }) => mark === '…')) return;
      const of = (other: string) => lines.filter(({ mark }) => mark !== other).map((line) => line.text);
      assert.deepEqual(of('+'), before);
      assert.deepEqual(of('-'), after);
    }),
  );
});

test('texts too long to compare are shown as replaced', () => {
  const lines = lineDiff(numbered(1, 3000).join('\n'), numbered(4001, 7000).join('\n'));
  assert.equal(lines.filter(({ mark }) => mark === '-').length, 3000);
  assert.equal(lines.filter(({ mark }) => mark === '+').length, 3000);
});
