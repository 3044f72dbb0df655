import { unlessAborted } from './abort.ts';
import { addressOf } from './address.ts';
import { resultOf } from './answer.ts';
import { exchange, type Outcome, type Wire } from './exchange.ts';
import { retryDelayMs } from './retry.ts';
import type { LooseArguments, Route } from './route.ts';
import { isHeaderSafe, type TokenSource } from './token.ts';

export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

export type Caller = Wire & {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly tokens: TokenSource;
  readonly maxRetries: number;
  readonly sleep: Sleep;
  readonly random: () => number;
};

export type Call = {
  readonly operation: string;
  readonly route: Route;
  readonly args: LooseArguments;
  /** The call may be sent twice without harm, even if the first one took effect. */
  readonly repeatable: boolean;
};

/** Makes one call of an operation, repeats it where that is safe, and returns its result. */
export async function call(caller: Caller, { operation, route, args, repeatable }: Call): Promise<unknown> {
  const url = caller.baseUrl + addressOf(operation, route, args);
  const init = requestOf(operation, route, args);
  const { signal } = args;
  let renewed = false;
  for (let retries = 0; ; ) {
    const token = route.auth === 'bearer' ? await unlessAborted(caller.tokens.get(), signal) : undefined;
    const headers = { ...init.headers, ...credential(caller, route, token) };
    const secrets = token === undefined ? [caller.apiKey] : [caller.apiKey, token];
    const isFile = route.produces !== undefined;
    const outcome = await exchange(caller, { url, init: { ...init, headers }, signal, secrets, isFile });
    if (token !== undefined && !renewed && isTokenRefused(outcome)) {
      // The token is renewed only once: if the new one is refused too, the token is not the cause.
      renewed = true;
      caller.tokens.drop(token);
      continue;
    }
    const delayMs =
      retries < caller.maxRetries ? retryDelayMs({ outcome, repeatable, retries, random: caller.random }) : undefined;
    if (delayMs === undefined) return resultOf(operation, route, outcome);
    retries++;
    await caller.sleep(delayMs, signal);
    signal?.throwIfAborted();
  }
}

type File = { contentType: string; bytes: Uint8Array<ArrayBuffer> };
type Request = { method: string; headers: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> };

function requestOf(operation: string, route: Route, args: LooseArguments): Request {
  const headers: Record<string, string> = {
    accept: `${route.produces ?? 'application/json'}, application/problem+json`,
  };
  const idempotencyKey = args.idempotencyKey ?? (route.creates ? crypto.randomUUID() : undefined);
  if (idempotencyKey !== undefined) {
    if (!isHeaderSafe(idempotencyKey)) throw new TypeError(`${operation}: idempotencyKey must be visible ASCII`);
    headers['idempotency-key'] = idempotencyKey;
  }
  if (route.raw) {
    const { contentType, bytes } = args.body as File;
    headers['content-type'] = contentType;
    return { method: route.method, headers, body: bytes };
  }
  if (!route.body) return { method: route.method, headers };
  headers['content-type'] = 'application/json';
  return { method: route.method, headers, body: JSON.stringify(args.body ?? {}) };
}

function credential({ apiKey }: Caller, route: Route, token: string | undefined): Record<string, string> {
  if (route.auth === 'apiKey') return { 'x-api-key': apiKey };
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** Codes 220 to 282 say what is wrong with a credential; the server has not acted, so any call may be sent again. */
function isTokenRefused(outcome: Outcome): boolean {
  if ('fault' in outcome || outcome.status !== 401) return false;
  const code = outcome.problem?.code;
  return typeof code === 'number' && code >= 220 && code <= 282;
}
