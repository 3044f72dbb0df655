import type { Readable } from 'node:stream';

/**
 * An answer that is not a plain body: a redirect, bytes, a stream, or a body with headers of its own. It is the only class
 * that is not an error: a plain answer then costs no more than one `instanceof`.
 */
export class SpecialAnswer<Kind extends AnswerKind = AnswerKind, Body = unknown> {
  readonly kind: Kind;
  readonly body: Body;
  readonly headers: AnswerHeaders;
  /** How many persons a stream shows; 1 if absent. */
  persons?: number;

  constructor(kind: Kind, body: Body, headers: AnswerHeaders) {
    this.kind = kind;
    this.body = body;
    this.headers = headers;
  }
}

type AnswerKind = 'redirect' | 'json' | 'file' | 'stream';
/** A header that is sent several times has several values. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[]>>;

export type Redirect = SpecialAnswer<'redirect', undefined>;
export type WithHeaders<T> = SpecialAnswer<'json', T>;
export type BytesAnswer = SpecialAnswer<'file', Uint8Array> | SpecialAnswer<'stream', Readable>;

/** For operations whose status is a redirect. A header is ASCII, so all other characters are percent-encoded. */
export function redirect(location: string): Redirect {
  return new SpecialAnswer('redirect', undefined, { location: location.replace(/[^\x21-\x7e]/gu, encodeURIComponent) });
}

type StoredRedirect = { readonly redirectTo: string };

/** The part of an answer that idempotency stores, to send the same answer to a repeated request. */
export function toStored(answer: unknown): unknown {
  if (!(answer instanceof SpecialAnswer)) return answer;
  const { location } = answer.headers;
  if (answer.kind !== 'redirect' || typeof location !== 'string') throw new Error(`a ${answer.kind} cannot be stored`);
  return { redirectTo: location } satisfies StoredRedirect;
}

/** The answer that was stored. Only an operation that redirects has stored a redirect. */
export function fromStored(stored: unknown, status: number): unknown {
  return status === 307 ? redirect((stored as StoredRedirect).redirectTo) : stored;
}

/** The usual answer, with more headers. */
export function withHeaders<T>(body: T, headers: AnswerHeaders): WithHeaders<T> {
  return new SpecialAnswer('json', body, headers);
}

/** A response body held in memory. */
export function file(contentType: string, bytes: Uint8Array, headers: AnswerHeaders = {}): BytesAnswer {
  return new SpecialAnswer('file', bytes, { ...headers, 'content-type': contentType });
}

/** A response body that is sent while it is produced. The stream is destroyed when the caller disconnects. */
export function stream(contentType: string, readable: Readable, headers: AnswerHeaders = {}): BytesAnswer {
  return new SpecialAnswer('stream', readable, { ...headers, 'content-type': contentType });
}
