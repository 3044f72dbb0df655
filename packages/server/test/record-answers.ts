import { appendFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { exercisedLine } from '../../../scripts/exercised.ts';
import { recordExample, recordOperations } from './record-examples.ts';

/**
 * Records for `npm run conformance` which route answered with which status and code, if the test read the answer: its
 * status, body or text, or the SDK did, which throws unless it is a success. An answer that nobody read proves nothing.
 * Only whole applications are recorded, because a handler of a test proves nothing about those of the server.
 */
const recordedLines = new Set<string>();
/** Answers by the id of their request, and the requests whose answer was read. Either may come first. */
const answers = new Map<string, string>();
const readAnswers = new Set<string>();
/** The maximum number of unread answers. Tests read theirs at once. */
const MAX_WAITING = 20_000;

export function recordAnswers(http: FastifyInstance): void {
  noteInjected(http);
  recordOperations(http);
  http.addHook('onSend', (request, reply, payload, done) => {
    const { served } = request.routeOptions.config ?? {};
    // Requests without an operation have codes as well: unknown addresses, and pages.
    const url = served ? request.routeOptions.url : '-';
    if (reply.statusCode >= 400) note(request, url, reply.statusCode, codeIn(payload));
    done(null, payload);
  });
  http.addHook('onResponse', (request, reply, done) => {
    const { served } = request.routeOptions.config ?? {};
    const { statusCode } = reply.raw;
    if (served && statusCode < 400) note(request, request.routeOptions.url, statusCode);
    // A problem that was written directly to the connection has not passed a hook.
    if (request.problemCode) note(request, served ? request.routeOptions.url : '-', statusCode, request.problemCode);
    done();
  });
}

/** The same for a request without a connection. */
function noteInjected(http: FastifyInstance): void {
  const inject = http.inject.bind(http) as (request: object) => Promise<{ statusCode: number; headers: object }>;
  const noting = async (request: object) => {
    const answer = await inject(request);
    const { statusCode } = answer;
    const headers = new Headers(answer.headers as Record<string, string>);
    return Object.defineProperty(answer, 'statusCode', {
      get() {
        noteRead(headers);
        return statusCode;
      },
    });
  };
  http.inject = noting as unknown as FastifyInstance['inject'];
}

function codeIn(payload: unknown): number | undefined {
  const code = typeof payload === 'string' ? /"code":(\d+)/.exec(payload)?.[1] : undefined;
  return code === undefined ? undefined : Number(code);
}

type Request = { readonly id: string; readonly method: string };

function note({ id, method }: Request, url: string | undefined, status: number, code?: number): void {
  const line = exercisedLine({ route: `${method} ${(url ?? '').replace(/:(\w+)/g, '{$1}')}`, status, code });
  if (readAnswers.delete(id)) {
    keep(line);
    return;
  }
  if (answers.size >= MAX_WAITING) answers.clear();
  answers.set(id, line);
}

function noteRead(headers: Headers): void {
  const id = headers.get('x-request-id');
  if (id === null) return;
  const line = answers.get(id);
  answers.delete(id);
  if (line !== undefined) {
    keep(line);
    return;
  }
  if (readAnswers.size >= MAX_WAITING) readAnswers.clear();
  readAnswers.add(id);
}

function keep(line: string): void {
  if (recordedLines.size === 0) process.once('exit', write);
  recordedLines.add(line);
}

/** For the tests of this file: other tests in their process may have recorded it before. */
export function forget(line: string): void {
  recordedLines.delete(line);
}

/** Whether the answer is recorded, for the tests of this file. */
export function isRecorded(line: string): boolean {
  return recordedLines.has(line);
}

/**
 * Written at the end, at once: several processes of a whole run write to the same file. Other runs prove too little.
 */
function write(): void {
  const { TEST_EXERCISED_FILE } = process.env;
  if (TEST_EXERCISED_FILE) appendFileSync(TEST_EXERCISED_FILE, `${[...recordedLines].join('\n')}\n`);
}

// biome-ignore lint/suspicious/noExplicitAny: an answer may be anything; the tests say what it should be.
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: any; readonly text: string };

/** Fetches for a test, and records what the test reads of the answer. */
export async function fetchAnswer(url: string, init: RequestInit, fetcher = plainFetch): Promise<Answer> {
  const response = await fetcher(url, init);
  const { status, headers } = response;
  const text = await response.text();
  await recordExample(init, response, async () => text);
  const body = /json/.test(headers.get('content-type') ?? '') ? JSON.parse(text) : undefined;
  const noting = <T>(value: T): T => {
    noteRead(headers);
    return value;
  };
  return {
    headers,
    get status() {
      return noting(status);
    },
    get body() {
      return noting(body);
    },
    get text() {
      return noting(text);
    },
  };
}

const READ = ['status', 'ok', 'body', 'json', 'text', 'arrayBuffer', 'bytes', 'blob'] as const;
const plainFetch = globalThis.fetch;

/** The same for tests and the SDK, which call `fetch` themselves. */
globalThis.fetch = async (...request) => {
  const response = await plainFetch(...request);
  await recordExample(request[1] ?? {}, response, () => response.clone().text());
  for (const name of READ) {
    Object.defineProperty(response, name, {
      configurable: true,
      get() {
        noteRead(response.headers);
        const value: unknown = Reflect.get(Response.prototype, name, response);
        return typeof value === 'function' ? value.bind(response) : value;
      },
    });
  }
  return response;
};
