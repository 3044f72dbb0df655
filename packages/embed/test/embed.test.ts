import assert from 'node:assert/strict';
import { test } from 'node:test';
import { embedAddress } from '../src/embed-address.ts';
import { readMessage } from '../src/events.ts';

const OWN = 'https://shop.example';

test('the address names the origin of the page, the tenant of the code, and the language', () => {
  const link = 'https://id.example/web/?pi=01ARZ3NDEKTSV4RRFFQ69G5FAV#c=acme.secret';
  const { url, origin } = embedAddress(link, OWN, 'de');
  const made = new URL(url);
  assert.deepEqual(Object.fromEntries(made.searchParams), {
    pi: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    tn: 'acme',
    embed: OWN,
    lang: 'de',
  });
  assert.deepEqual([made.hash, origin], ['#c=acme.secret', 'https://id.example']);
});

test('a link cannot name another page than the one that shows it, and must be one of the web', () => {
  const made = new URL(embedAddress('https://id.example/web/?pt=1&tn=acme&embed=https://evil.example', OWN).url);
  assert.deepEqual([made.searchParams.getAll('embed'), made.searchParams.get('tn')], [[OWN], 'acme']);
  for (const wrong of ['javascript:alert(1)', 'data:text/html,x', '/web/?pt=1', '']) {
    assert.throws(() => embedAddress(wrong, OWN), TypeError, wrong);
  }
});

test('what is no message of a journey is nothing, and a height has a limit', () => {
  for (const data of [null, undefined, 'completed', 7, {}, { from: 'grove-journey' }, { type: 'completed' }]) {
    assert.equal(readMessage(data), undefined);
  }
  assert.equal(readMessage({ from: 'grove-journey', type: 'size', height: 'tall' }), undefined);
  assert.deepEqual(readMessage({ from: 'grove-journey', type: 'size', height: 1e9 }), { name: 'size', height: 4000 });
  assert.deepEqual(readMessage({ from: 'grove-journey', type: 'step', step: 'face', position: 2, total: 3 }), {
    name: 'step',
    event: { processInstanceId: '', step: 'face', position: 2, total: 3 },
  });
});
