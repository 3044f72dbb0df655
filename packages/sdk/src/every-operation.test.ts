import assert from 'node:assert/strict';
import { test } from 'node:test';
import { API_KEY, startFakeGrove } from '../test/fake-grove.ts';
import { createClient } from './client.ts';
import type { LooseArguments, Route } from './route.ts';
import { routes } from './routes.generated.ts';

type Loose = Record<string, Record<string, (args: LooseArguments) => Promise<unknown>>>;

/** A value for every parameter of the address, and for the body. */
function argumentsOf({ paths, raw, body }: Route): LooseArguments {
  const path = paths.none ?? paths.id ?? paths.ext ?? '';
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const params = Object.fromEntries(names.map((name) => [name, 'x']));
  return {
    ...params,
    ...(paths.none === undefined && { user: paths.id === undefined ? { extId: 'x' } : { id: 'x' } }),
    ...(raw && { body: { contentType: 'application/zip', bytes: new Uint8Array() } }),
    ...(body && { body: {} }),
  };
}

test('every operation gives what the contract says a success is: JSON, bytes, a redirect or nothing', async (t) => {
  const server = await startFakeGrove(t);
  const grove = createClient({ baseUrl: server.baseUrl, apiKey: API_KEY }) as unknown as Loose;
  let called = 0;
  for (const [group, operations] of Object.entries(routes) as [string, Record<string, Route>][]) {
    for (const [name, route] of Object.entries(operations)) {
      if (route.auth === 'apiKey') continue;
      const { status, empty, produces } = route;
      const answer = { content: [], last: true, totalPages: 0 };
      const location = `${server.baseUrl}/web/?pi=1#c=x`;
      server.steps.push((response) => {
        if (status === 307) response.writeHead(status, { location }).end();
        else if (empty) response.writeHead(status).end();
        else if (produces) response.writeHead(status, { 'content-type': produces }).end('bytes');
        else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      });
      const before = server.seen.length;
      const result = await grove[group]?.[name]?.(argumentsOf(route));
      called += 1;
      const at = `${group}.${name}`;
      assert.equal(server.seen.length, before + 1, at);
      assert.equal(server.seen.at(-1)?.method, route.method, at);
      if (status === 307) assert.equal((result as { location: string }).location, location, at);
      else if (empty) assert.equal(result, undefined, at);
      else if (produces) assert.equal((result as { contentType: string }).contentType, produces, at);
      else assert.deepEqual(result, answer, at);
    }
  }
  assert.ok(called > 90, `${called} operations`);
});

test('an answer without content where JSON is due is an error, whatever its status', async (t) => {
  const server = await startFakeGrove(t);
  server.steps.push((response) => response.writeHead(200).end());
  const grove = createClient({ baseUrl: server.baseUrl, apiKey: API_KEY });
  await assert.rejects(grove.stores.get({ storeName: 'x' }), /not JSON/);
});
