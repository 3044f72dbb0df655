import assert from 'node:assert/strict';
import { it } from 'node:test';
import { leadsAway } from './leads-away.ts';
import { addressOf, readLink } from './link.ts';

const ID = '01K9ZZZZZZZZZZZZZZZZZZZZZZ';

it('the one-time code is found inside the address that a redirect gives, whole or without its host', () => {
  const start = `https://acme.fir.example.com/api/process-server/startProcess?pi=${ID}&c=acme.abc-_1`;
  const entry = { kind: 'code', code: 'acme.abc-_1' };
  assert.deepEqual(readLink(`?${new URLSearchParams({ ps: start })}`), entry);
  assert.deepEqual(
    readLink(`?${new URLSearchParams({ ps: '/api/process-server/startProcess?c=acme.abc-_1' })}`),
    entry,
  );
});

it('a process token opens a journey of its own, with its tenant if it is named', () => {
  assert.deepEqual(readLink('?pt=T1'), { kind: 'token', pt: 'T1', tn: undefined });
  assert.deepEqual(readLink('?pt=T1&tn=acme'), { kind: 'token', pt: 'T1', tn: 'acme' });
});

it('an instance is one by its form alone; anything else is nothing to show', () => {
  assert.deepEqual(readLink(`?pi=${ID}`), { kind: 'instance', instanceId: ID });
  for (const search of ['', '?', '?pi=', '?pi=../../x', `?pi=${ID}x`, '?ps=', '?ps=%zz', '?ps=http://', '?other=1']) {
    assert.deepEqual(readLink(search), { kind: 'nothing' }, search);
  }
});

it('the address that stays names the instance and the language, and holds nothing that opens it', () => {
  assert.equal(addressOf(ID, '?ps=https%3A%2F%2Fx%2F%3Fc%3Dsecret&lang=de'), `?pi=${ID}&lang=de`);
  assert.equal(addressOf(ID, '?pt=token'), `?pi=${ID}`);
});

it('nothing that would run in our own page counts as a way back', () => {
  for (const address of ['https://shop.example.com/done', 'http://localhost:3000/', 'myapp:done', 'myapp://done?x=1']) {
    assert.ok(leadsAway(address), address);
  }
  for (const address of [
    ' javascript:alert(1)',
    'JAVASCRIPT:x',
    'java\nscript:x',
    'data:text/html,x',
    'blob:x',
    '/',
    '',
  ]) {
    assert.ok(!leadsAway(address), address);
  }
});
