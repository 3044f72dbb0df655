import type { Patience } from './persist.ts';
import { noAnswer, readProblem } from './problem.ts';

/** Sends requests, and tracks whether the network is away. */
export type ServerAnswer = { status: number; text: string };

const TIMEOUT_MS = 30_000;
const UPLOAD_TIMEOUT_MS = 120_000;

type Listener = (away: boolean) => void;
const listeners = new Set<Listener>();
let away = false;

export function onTrouble(listener: Listener): () => void {
  listeners.add(listener);
  listener(away);
  return () => listeners.delete(listener);
}

function tell(now: boolean): void {
  if (away === now) return;
  away = now;
  for (const listener of listeners) listener(now);
}

export const patience: Patience = {
  now: () => Date.now(),
  trouble: tell,
  wait: (ms, signal) =>
    new Promise((done) => {
      const end = () => {
        clearTimeout(timer);
        removeEventListener('online', end);
        signal?.removeEventListener('abort', end);
        done();
      };
      const timer = setTimeout(end, ms);
      addEventListener('online', end);
      signal?.addEventListener('abort', end);
    }),
};

export function send(path: string, body?: object, signal?: AbortSignal): Promise<ServerAnswer> {
  const post = body !== undefined && {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  };
  return ask(path, { ...post }, async (answer) => ({ status: answer.status, text: await answer.text() }), signal);
}

/** Downloads raw data, such as a picture. */
export function receive(path: string): Promise<Blob> {
  return ask(path, {}, (answer) => answer.blob());
}

/** Returns the response to the page's early request (`early-plugin.ts`) if its body is the same. */
function takeEarly(body: unknown, signal: AbortSignal): Promise<Response> | undefined {
  const page = globalThis as { groveEarly?: { body: string; answer: Promise<Response> } | undefined };
  const { groveEarly: early } = page;
  if (early === undefined || early.body !== body) return undefined;
  page.groveEarly = undefined;
  const late = new Promise<never>((_, fail) => signal.addEventListener('abort', () => fail(new TypeError('late'))));
  return Promise.race([early.answer, late]);
}

async function ask<T>(
  path: string,
  init: RequestInit,
  readAnswer: (answer: Response) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), TIMEOUT_MS);
  const stop = () => timeout.abort();
  signal?.addEventListener('abort', stop);
  try {
    const { signal } = timeout;
    const answer = await (takeEarly(init.body, signal) ?? fetch(path, { ...init, cache: 'no-store', signal }));
    const { ok, status, headers } = answer;
    const content = ok ? { read: await readAnswer(answer) } : { text: await answer.text() };
    tell(false);
    if ('read' in content) return content.read;
    throw readProblem(status, content.text, {
      requestId: headers.get('x-request-id'),
      retryAfter: headers.get('retry-after'),
    });
  } catch (error) {
    // What `fetch` throws means only that there was no response.
    throw error instanceof TypeError || (error as Error).name === 'AbortError' ? noAnswer() : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

export type UploadOptions = {
  /** Called with the share that is sent, from 0 to 1. */
  onProgress?(share: number): void;
  signal?: AbortSignal;
  timeoutMs?: number;
};

/** Uses XMLHttpRequest, because `fetch` reports no progress of uploads. */
export function sendBlob(path: string, blob: Blob, options: UploadOptions = {}): Promise<ServerAnswer> {
  const { onProgress, signal, timeoutMs = UPLOAD_TIMEOUT_MS } = options;
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    const end = (call: () => void) => {
      signal?.removeEventListener('abort', abort);
      call();
    };
    request.open('POST', path);
    request.timeout = timeoutMs;
    request.setRequestHeader('Content-Type', blob.type || 'image/jpeg');
    request.upload.onprogress = ({ loaded: sentBytes, total }) => onProgress?.(total > 0 ? sentBytes / total : 0);
    request.onload = () => {
      const { status, responseText: text } = request;
      if (status >= 200 && status < 300) return end(() => done({ status, text }));
      const retryAfter = request.getResponseHeader('retry-after');
      const requestId = request.getResponseHeader('x-request-id');
      end(() => fail(readProblem(status, text, { requestId, retryAfter })));
    };
    request.onerror = () => end(() => fail(noAnswer()));
    request.ontimeout = () => end(() => fail(noAnswer()));
    request.onabort = () => end(() => fail(noAnswer()));
    signal?.addEventListener('abort', abort);
    request.send(blob);
  });
}
