import { type ConnectionFault, isRecord } from './errors.ts';

/** The outcome of one request: a complete answer, or a fault of the connection. */
export type Outcome = Answer | { readonly fault: ConnectionFault; readonly reason: string };

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly retryAfterSeconds: number | undefined;
  readonly requestId: string | undefined;
  /** The problem document of an answer that is not a success. */
  readonly problem: Readonly<Record<string, unknown>> | undefined;
};

export type Sending = {
  readonly url: string;
  readonly init: RequestInit;
  readonly signal: AbortSignal | undefined;
  /** The credentials of this request; they are removed from the text of any fault. */
  readonly secrets: readonly string[];
  /** A success is a file, which may be of any length. */
  readonly isFile: boolean;
};

export type Wire = {
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly clock: () => number;
};

/** Sends one request and reads the whole answer. It throws only if the caller aborts. */
export async function exchange(wire: Wire, { url, init, signal, secrets, isFile }: Sending): Promise<Outcome> {
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(wire.timeoutMs);
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
  try {
    // A redirect is never followed: it would send the credential to an address that the caller did not choose.
    const response = await wire.fetch(url, { ...init, redirect: 'manual', signal: either });
    const { status, headers } = response;
    const bytes = await readBody(response, isFile && response.ok ? Number.POSITIVE_INFINITY : MAX_JSON_BYTES);
    if (!bytes) return { fault: 'lost', reason: 'the answer is too long' };
    const retryAfterSeconds = parseRetryAfter(headers.get('retry-after'), wire.clock());
    const requestId = mask(headers.get('x-request-id') ?? '', secrets) || undefined;
    const problem = status >= 400 ? problemFrom(new TextDecoder().decode(bytes), secrets) : undefined;
    return { status, headers, bytes, retryAfterSeconds, requestId, problem };
  } catch (error) {
    signal?.throwIfAborted();
    if (timeout.aborted) return { fault: 'timeout', reason: `${wire.timeoutMs} ms` };
    const { code, message } = rootOf(error);
    const isUnsent = unsentCodes.has(code ?? '') || message === REFUSED_PORT;
    return { fault: isUnsent ? 'unsent' : 'lost', reason: mask(code ?? message, secrets) };
  }
}

/** An answer without end must not fill the memory of the caller. */
const MAX_JSON_BYTES = 64 * 2 ** 20;

/** The whole body, or undefined if it is too long. */
async function readBody({ body }: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function mask(text: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}

/** Masks after parsing, because JSON can write every character as an escape. */
function problemFrom(text: string, secrets: readonly string[]): Record<string, unknown> | undefined {
  try {
    const problem: unknown = JSON.parse(text, (_name, value) =>
      typeof value === 'string' ? mask(value, secrets) : value,
    );
    return isRecord(problem) ? problem : undefined;
  } catch {
    return undefined;
  }
}

/** The header is a number of seconds or a date (RFC 9110, 10.2.3). */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const atMs = header.endsWith('GMT') ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1000));
}

/** Faults that occur before any byte of the request was sent, as Node's sockets, undici and Bun name them. */
const unsentCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
]);

/** The message of undici for ports that fetch never connects to because other protocols use them, such as 1 or 6000. */
const REFUSED_PORT = 'bad port';

/** fetch wraps the original error; the innermost names the fault. The depth is bounded: causes can form a cycle. */
function rootOf(error: unknown): { code: string | undefined; message: string } {
  let code: string | undefined;
  let message = 'unknown fault';
  let cause = error;
  for (let depth = 0; depth < 5 && isRecord(cause); depth++) {
    if (typeof cause.code === 'string') code = cause.code;
    if (typeof cause.message === 'string') message = cause.message;
    cause = cause.cause;
  }
  return { code, message };
}
