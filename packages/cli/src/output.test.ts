import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printable, table } from './output.ts';

test('a table has columns as wide as their widest cell, and no spaces at the ends of lines', () => {
  const text = table(
    ['ID', 'NAME'],
    [
      ['1', 'one'],
      ['1000', ''],
    ],
  );
  assert.equal(text, 'ID    NAME\n1     one\n1000');
});

test('a name cannot give orders to the terminal', () => {
  assert.equal(printable('till\u001b[2J 7\r\n'), 'till\ufffd[2J 7\ufffd\ufffd');
});
