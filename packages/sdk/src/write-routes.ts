import { readFileSync, writeFileSync } from 'node:fs';
import {
  type Access,
  addressesOf,
  type GroupedOperation,
  isPage,
  operations,
  paramNames,
  takesIdempotencyKey,
} from '@grove/contract';
import type { Route, Routes } from './route.ts';

/**
 * Writes routes.generated.ts from the contract; with `--check`, only reports whether it is stale. The table holds what
 * the client needs at run time, so that neither the schemas nor their library become part of the SDK.
 */
const file = new URL('./routes.generated.ts', import.meta.url);
const WIDTH = 120;

/** Names that have another meaning in the arguments of a call. */
const reserved = ['query', 'body', 'user', 'idempotencyKey', 'signal'];

export function routesFromContract(): Routes {
  const table: Record<string, Record<string, Route>> = {};
  for (const { group, name, operation } of operations()) {
    if (isOfBrowsers(operation) || operation.produces === 'text/event-stream') continue;
    table[group] ??= {};
    table[group][name] = routeOf(`${group}.${name}`, operation);
  }
  return table;
}

/** Operations that only a browser calls are not part of the SDK. */
function isOfBrowsers({ auth }: Access): boolean {
  return auth === 'journey' || auth === 'operator' || auth === 'public';
}

function routeOf(id: string, operation: GroupedOperation): Route {
  const reservedName = paramNames(operation.path).find((name) => reserved.includes(name));
  if (reservedName)
    throw new Error(`${id}: a path parameter cannot be called ${reservedName}, the SDK's calls use that word`);
  const addresses = addressesOf(operation).map(({ userBy = 'none', path }) => [userBy, path]);
  return {
    method: operation.method,
    paths: Object.fromEntries(addresses),
    auth: operation.auth === 'apiKey' ? 'apiKey' : 'bearer',
    status: operation.status ?? 200,
    ...(operation.ok === undefined && operation.produces === undefined && { empty: true }),
    ...(isPage(operation.ok) && { page: true }),
    ...(takesIdempotencyKey(operation) && { creates: true }),
    ...(operation.body && { body: true }),
    ...(operation.consumes && { raw: true }),
    ...(operation.produces !== undefined && { produces: operation.produces }),
  };
}

export function renderRoutes(table: Routes): string {
  return [
    '// Generated from the contract by write-routes.ts; change the contract and run `npm run generate`.',
    "import type { Routes } from './route.ts';",
    '',
    `export const routes = ${render(table, 0, 'export const routes = '.length, ' as const satisfies Routes;')}`,
    '',
  ].join('\n');
}

/** Formats as Biome does: an object stands on one line if it fits, otherwise each member has its own line. */
function render(value: unknown, indent: number, column: number, suffix: string): string {
  if (typeof value === 'string') return quote(value) + suffix;
  if (typeof value !== 'object' || value === null) return String(value) + suffix;
  const members = Object.entries(value);
  const oneLine = `{ ${members.map(([key, member]) => `${keyOf(key)}: ${render(member, 0, -Infinity, '')}`).join(', ')} }`;
  if (column + oneLine.length + suffix.length <= WIDTH) return oneLine + suffix;
  const inner = ' '.repeat(indent + 2);
  const lines = members.map(([key, member]) => {
    const start = `${inner}${keyOf(key)}: `;
    return start + render(member, indent + 2, start.length, ',');
  });
  return `{\n${lines.join('\n')}\n${' '.repeat(indent)}}${suffix}`;
}

function keyOf(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key);
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

if (import.meta.main) {
  const fresh = renderRoutes(routesFromContract());
  if (!process.argv.includes('--check')) {
    writeFileSync(file, fresh);
  } else if (readFileSync(file, 'utf8') !== fresh) {
    console.error('routes.generated.ts is stale: run node packages/sdk/src/write-routes.ts');
    process.exitCode = 1;
  }
}
