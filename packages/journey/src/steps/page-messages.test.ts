import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MAX_VALUE_LENGTH, MAX_VARIABLES, processCommand, readPageMessage } from './page-messages.ts';

const send = (variables: unknown) => readPageMessage({ event: 'SEND', variables });

it('a page sends READY, receives its data, and sends texts', () => {
  assert.deepEqual(readPageMessage({ event: 'READY' }), { kind: 'ready' });
  assert.deepEqual(processCommand({ a: '1' }, { language: 'de' }), {
    command: 'PROCESS',
    variables: { constants: { a: '1' }, sessionData: { language: 'de' } },
  });
  assert.deepEqual(send({ a: 'x', b: 2, c: true }), { kind: 'send', variables: { a: 'x', b: '2', c: 'true' } });
  assert.deepEqual(send(undefined), { kind: 'send', variables: {} });
});

it('any other message is ignored', () => {
  for (const data of [null, undefined, 'READY', 7, [], {}, { event: 'ready' }, { event: ['SEND'] }]) {
    assert.deepEqual(readPageMessage(data), { kind: 'other' });
  }
});

it('variables that cannot be stored are refused as a whole: lists, objects, too many, too long', () => {
  const many = Object.fromEntries(Array.from({ length: MAX_VARIABLES + 1 }, (_, at) => [`v${at}`, 'x']));
  for (const variables of [
    'text',
    [1],
    { a: {} },
    { a: null },
    { a: [] },
    many,
    { a: 'x'.repeat(MAX_VALUE_LENGTH + 1) },
  ]) {
    assert.deepEqual(send(variables), { kind: 'bad' });
  }
});
