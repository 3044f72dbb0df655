import assert from 'node:assert/strict';
import { it } from 'node:test';
import { leadsAway } from './leads-away.ts';
import { addressOf, readLink as read } from './link.ts';

const ID = '01K9ZZZZZZZZZZZZZZZZZZZZZZ';

const readLink = (search: string, hash = '') => read({ search, hash });

it('the one-time code is found in the fragment, behind what the page has there, and never in the query', () => {
  const entry = { kind: 'code', code: 'acme.abc-_1', instanceId: ID };
  for (const hash of ['#c=acme.abc-_1', '#top&c=acme.abc-_1', '#c=acme.abc-_1&lang=de']) {
    assert.deepEqual(readLink(`?pi=${ID}`, hash), entry, hash);
  }
  assert.deepEqual(readLink(`?pi=${ID}&c=acme.abc-_1`), { kind: 'instance', instanceId: ID });
  assert.deepEqual(readLink(`?pi=${ID}`, '#c='), { kind: 'instance', instanceId: ID });
});

it('the code of an older link is found inside the start address, whole or without its host', () => {
  const start = `https://acme.fir.example.com/api/process-server/startProcess?pi=${ID}&c=acme.abc-_1`;
  const entry = { kind: 'code', code: 'acme.abc-_1', instanceId: undefined };
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

it('only a well-formed instance id names an instance; any other link is empty', () => {
  assert.deepEqual(readLink(`?pi=${ID}`), { kind: 'instance', instanceId: ID });
  for (const search of ['', '?', '?pi=', '?pi=../../x', `?pi=${ID}x`, '?ps=', '?ps=%zz', '?ps=http://', '?other=1']) {
    assert.deepEqual(readLink(search), { kind: 'nothing' }, search);
  }
});

it('the address of an open journey names the instance and the language, and holds no secret', () => {
  assert.equal(addressOf(ID, { search: '?ps=https%3A%2F%2Fx%2F%3Fc%3Dsecret&lang=de', hash: '' }), `?pi=${ID}&lang=de`);
  assert.equal(addressOf(ID, { search: '?pt=token', hash: '#c=secret' }), `?pi=${ID}`);
  assert.equal(addressOf(ID, { search: `?pi=${ID}`, hash: '#c=secret&lang=de' }), `?pi=${ID}&lang=de`);
});

it('an address that would run in our own page is no way back', () => {
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
