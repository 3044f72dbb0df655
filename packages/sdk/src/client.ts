import { sleep as realSleep } from './abort.ts';
import { type Caller, call, type Sleep } from './call.ts';
import { type LoosePage, walkItems, walkPages } from './paging.ts';
import type { LooseArguments, Route, Routes } from './route.ts';
import { routes } from './routes.generated.ts';
import { isHeaderSafe, tokenSource } from './token.ts';
import type { Client } from './types.ts';

export type ClientOptions = {
  /** For example `https://acme.fir.example.com`. */
  baseUrl: string;
  /** For back ends only: an API key, or a token issued for one, never belongs in a page. */
  apiKey: string;
  /** Replaces the global fetch, for a proxy or a test. */
  fetch?: typeof fetch | undefined;
  /** The time limit of one attempt in milliseconds, including the body of the answer; the default is 30,000. */
  timeoutMs?: number | undefined;
  /** How often a call may be repeated where that is safe; the default is 2, the maximum 10. */
  maxRetries?: number | undefined;
  /** The time in milliseconds, as `Date.now` gives it. */
  clock?: (() => number) | undefined;
  sleep?: Sleep | undefined;
};

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 2;
const MAX_RETRIES = 10;

/** A client for one Grove server and one API key. Make one and share it: it holds the bearer token. */
export function createClient(options: ClientOptions): Client {
  return clientFor(routes, options) as unknown as Client;
}

type LooseMethod = (args?: LooseArguments) => Promise<unknown>;

/** The key and the token exist only in these closures, so printing a client cannot reveal them. */
export function clientFor(table: Routes, options: ClientOptions): Record<string, Record<string, LooseMethod>> {
  const caller = callerFrom(table, options);
  return mapValues(table, (group, groupName) =>
    mapValues(group, (route, name) => methodFor(caller, `${groupName}.${name}`, route)),
  );
}

function methodFor(caller: Caller, operation: string, route: Route): LooseMethod {
  const repeatable = route.method === 'GET' || route.creates === true;
  const method: LooseMethod = async (args = {}) => call(caller, { operation, route, args, repeatable });
  if (!route.page) return method;
  const list = method as (args: LooseArguments) => Promise<LoosePage>;
  return Object.assign(method, {
    all: (args?: LooseArguments) => walkItems(list, args),
    pages: (args?: LooseArguments) => walkPages(list, args),
  });
}

function callerFrom(table: Routes, options: ClientOptions): Caller {
  const { apiKey, clock = Date.now, sleep = realSleep } = options;
  // The message never contains the key itself.
  if (!isHeaderSafe(apiKey)) throw new TypeError('apiKey must be the text of a key, without spaces or line breaks');
  const tokens = tokenSource(() => {
    const route = table.apiKeys?.issue;
    if (!route) throw new Error('The table of routes has no apiKeys.issue');
    // An unused token does no harm, so the request for one may be repeated although it is a POST.
    return call(caller, { operation: 'apiKeys.issue', route, args: {}, repeatable: true });
  }, clock);
  const caller: Caller = {
    apiKey,
    tokens,
    clock,
    sleep,
    baseUrl: baseFrom(options.baseUrl),
    // fetch is looked up at each call, so that one which is instrumented after the client was made is used.
    fetch: options.fetch ?? ((...input) => globalThis.fetch(...input)),
    timeoutMs: whole('timeoutMs', options.timeoutMs ?? DEFAULT_TIMEOUT_MS, 1, 2 ** 31 - 1),
    maxRetries: whole('maxRetries', options.maxRetries ?? DEFAULT_RETRIES, 0, MAX_RETRIES),
    random: Math.random,
  };
  return caller;
}

function baseFrom(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) throw new TypeError('baseUrl must be an address such as https://acme.fir.example.com');
  const url = new URL(baseUrl);
  const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!plain || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('baseUrl must be http or https, without credentials, query or fragment');
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function whole(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new TypeError(`${name} must be a whole number from ${min} to ${max}`);
}

function mapValues<V, W>(object: Readonly<Record<string, V>>, change: (value: V, key: string) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}
