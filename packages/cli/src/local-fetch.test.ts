import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { localFetch } from './local-fetch.ts';

async function echo(t: TestContext): Promise<number> {
  const server = createServer(async (request, response) => {
    if (request.url === '/empty') return response.writeHead(204).end();
    if (request.url === '/never') return;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method, url, headers } = request;
    const body = Buffer.concat(chunks).toString();
    response.writeHead(201, { 'content-type': 'application/json', 'x-two': ['a', 'b'] });
    response.end(JSON.stringify({ method, url, host: headers.host, key: headers['x-api-key'], body }));
  }).listen(0, 'localhost');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((done) => server.once('listening', done));
  return (server.address() as AddressInfo).port;
}

test('a name below localhost reaches this machine, and stays in the Host header', async (t) => {
  const port = await echo(t);
  const answer = await localFetch(`http://demo.fir.localhost:${port}/a?b=c`, {
    method: 'POST',
    headers: { 'X-Api-Key': 'k' },
    body: '{"d":1}',
  });
  assert.equal(answer.status, 201);
  assert.equal(answer.headers.get('x-two'), 'a, b');
  assert.deepEqual(await answer.json(), {
    method: 'POST',
    url: '/a?b=c',
    host: `demo.fir.localhost:${port}`,
    key: 'k',
    body: '{"d":1}',
  });
});

test('a name below localhost receives bytes as they are, such as the archive of a page', async (t) => {
  const url = `http://demo.fir.localhost:${await echo(t)}/`;
  const answer = await localFetch(url, { method: 'POST', body: new TextEncoder().encode('PK, or so') });
  assert.equal(((await answer.json()) as { body: string }).body, 'PK, or so');
});

test('a response without content and another address behave as with fetch', async (t) => {
  const port = await echo(t);
  assert.equal((await localFetch(`http://demo.fir.localhost:${port}/empty`)).status, 204);
  assert.equal(((await (await localFetch(`http://localhost:${port}/`)).json()) as { method: string }).method, 'GET');
});

test('an aborted signal ends the request', async (t) => {
  const port = await echo(t);
  const signal = AbortSignal.timeout(50);
  await assert.rejects(localFetch(`http://demo.fir.localhost:${port}/never`, { signal }));
});
