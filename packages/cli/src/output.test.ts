import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureText } from './failure.ts';
import { forTerminal, jsonLine, printable, styled, table } from './output.ts';

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

test('a name cannot control the terminal', () => {
  assert.equal(printable('till\u001b[2J 7\r\n'), 'till\ufffd[2J 7\ufffd\ufffd');
  assert.equal(printable('a\u202etxt\u2066\u009b2J'), 'a\ufffdtxt\ufffd\ufffd2J');
});

test('sentences with names and problems of a server cannot control the terminal; our own colours and lines stay', () => {
  const ours = '\u001b[31mred\u001b[0m\n\tnext';
  assert.equal(forTerminal(`${ours}\u001b[2J\u0007\u009b\u202e\r`), `${ours}\ufffd[2J\ufffd\ufffd\ufffd\ufffd`);
  assert.equal(forTerminal(styled('bold', 'plain')), styled('bold', 'plain'));
  const failure = { exitCode: 1, message: 'no \u001b]0;title\u0007' };
  assert.equal(failureText(failure, false), 'grove: no \ufffd]0;title\ufffd\n');
});

test('JSON cannot control the terminal, and has the same value', () => {
  const value = { name: 'a\u009b2J\u007f\u202e\u001b[2J é' };
  assert.equal(jsonLine(value), '{"name":"a\\u009b2J\\u007f\\u202e\\u001b[2J é"}\n');
  assert.deepEqual(JSON.parse(jsonLine(value)), value);
  const failure = failureText({ exitCode: 1, message: 'no \u009b2J' }, true);
  assert.equal(failure, '{"error":{"message":"no \\u009b2J","exitCode":1}}\n');
});
