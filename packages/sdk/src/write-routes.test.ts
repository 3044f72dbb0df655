import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isPage, operations } from '@grove/contract';
import type { Route } from './route.ts';
import { renderRoutes, routesFromContract } from './write-routes.ts';

test('the table of routes is what the contract says now', () => {
  const written = readFileSync(new URL('./routes.generated.ts', import.meta.url), 'utf8');
  assert.equal(written, renderRoutes(routesFromContract()), 'run node packages/sdk/src/write-routes.ts');
});

test('no line of the table is wider than 120 characters unless a single word is', () => {
  const path = `/api/${'x'.repeat(80)}`;
  const route: Route = { method: 'GET', paths: { id: path, ext: `${path}/it's` }, auth: 'bearer', status: 200 };
  assert.equal(
    renderRoutes({ a: { b: route, c: { ...route, paths: { none: '/api' } } } }).split('export const routes = ')[1],
    `{
  a: {
    b: {
      method: 'GET',
      paths: {
        id: '${path}',
        ext: '${path}/it\\'s',
      },
      auth: 'bearer',
      status: 200,
    },
    c: { method: 'GET', paths: { none: '/api' }, auth: 'bearer', status: 200 },
  },
} as const satisfies Routes;
`,
  );
});

test('every list of the contract can be walked: it is a GET that takes a page', () => {
  const lists = operations().filter(({ operation }) => isPage(operation.ok));
  assert(lists.length > 0);
  for (const { id, operation } of lists) {
    const { properties = {} } = (operation.query ?? {}) as { properties?: object };
    assert.equal(operation.method, 'GET', id);
    assert('page' in properties && 'size' in properties, id);
  }
});
