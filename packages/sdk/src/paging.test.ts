import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { API_KEY, json, pageOf, startFakeGrove } from '../test/fake-grove.ts';
import { createClient } from './client.ts';

/** Three pages of two keys. */
async function setUp(t: TestContext) {
  const server = await startFakeGrove(t);
  server.otherwise = (response, seen) => {
    const number = Number(new URL(seen.url, server.baseUrl).searchParams.get('page'));
    const content = [{ id: `k${number * 2}` }, { id: `k${number * 2 + 1}` }];
    json(200, pageOf(content, { number, totalPages: 3 }))(response, seen);
  };
  return { server, grove: createClient({ baseUrl: server.baseUrl, apiKey: API_KEY }) };
}

test('paging walks every item of three pages and stops at the last', async (t) => {
  const { server, grove } = await setUp(t);
  const ids: (string | null)[] = [];
  for await (const key of grove.apiKeys.list.all({ query: { name: 'a%', size: 2 } })) ids.push(key.id);
  assert.deepEqual(ids, ['k0', 'k1', 'k2', 'k3', 'k4', 'k5']);
  assert.deepEqual(
    server.seen.map(({ url }) => url),
    [0, 1, 2].map((page) => `/api/arthr/apiKeys?name=a%25&size=2&page=${page}`),
  );
});

test('paging asks for a page only when its first item is wanted', async (t) => {
  const { server, grove } = await setUp(t);
  const walk = grove.apiKeys.list.all();
  assert.equal(server.seen.length, 0);
  await walk.next();
  await walk.next();
  assert.equal(server.seen.length, 1);
  await walk.next();
  assert.equal(server.seen.length, 2);
  await walk.return();
  assert.equal(server.seen.length, 2);
});

test('walks 100 items at a time unless the query says otherwise', async (t) => {
  const { server, grove } = await setUp(t);
  await grove.apiKeys.list.all().next();
  assert.equal(server.seen[0]?.url, '/api/arthr/apiKeys?size=100&page=0');
});

test('walks page by page, from the page of the query', async (t) => {
  const { server, grove } = await setUp(t);
  const numbers: number[] = [];
  for await (const page of grove.apiKeys.list.pages({ query: { page: 1 } })) numbers.push(page.number);
  assert.deepEqual(numbers, [1, 2]);
  assert.equal(server.seen.length, 2);
});

test('paging ends at an empty page even if it does not say that it is the last', async (t) => {
  const { server, grove } = await setUp(t);
  server.steps.push(json(200, { content: [], last: false }));
  for await (const key of grove.apiKeys.list.all()) assert.fail(String(key.id));
  assert.equal(server.seen.length, 1);
});

test('paging goes on behind the place that an answer names, and not by page numbers', async (t) => {
  const { server, grove } = await setUp(t);
  server.steps.push(
    json(200, { ...pageOf([{ id: 'a' }], { number: 0, totalPages: 9 }), next: 'A' }),
    json(200, { ...pageOf([{ id: 'b' }], { number: 0, totalPages: 9 }), next: 'B' }),
    json(200, { ...pageOf([], { number: 0, totalPages: 1 }) }),
  );
  const ids: string[] = [];
  for await (const { id } of grove.auditEvents.list.all({ query: { size: 1, page: 2 } })) ids.push(id);
  assert.deepEqual(ids, ['a', 'b']);
  assert.deepEqual(
    server.seen.map(({ url }) => url.split('?')[1]),
    ['size=1&page=2', 'size=1&after=A', 'size=1&after=B'],
  );
});

test('paging begins behind the place of the query', async (t) => {
  const { server, grove } = await setUp(t);
  server.steps.push(json(200, { content: [], last: true }));
  await grove.auditEvents.list.all({ query: { after: 'A' } }).next();
  assert.equal(server.seen[0]?.url.split('?')[1], 'after=A&size=100');
});
