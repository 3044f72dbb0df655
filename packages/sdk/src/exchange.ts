import { type ConnectionFault, isRecord } from './errors.ts';

/** What came of sending one request: an answer, whole, or a fault of the connection. */
export type Outcome = Answer | { readonly fault: ConnectionFault; readonly reason: string };

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly retryAfterSeconds: number | undefined;
  /** The problem document of an answer that is no success. */
  readonly problem: Readonly<Record<string, unknown>> | undefined;
};

export type Sending = {
  readonly url: string;
  readonly init: RequestInit;
  readonly signal: AbortSignal | undefined;
  /** The credentials this request carries; they are taken out of any text that comes back with a fault. */
  readonly secrets: readonly string[];
};

export type Wire = {
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly clock: () => number;
};

/** Sends one request and reads the whole answer. Throws only the caller's own abort. */
export async function exchange(wire: Wire, { url, init, signal, secrets }: Sending): Promise<Outcome> {
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(wire.timeoutMs);
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
  try {
    // A redirect is never followed: the credential must not travel to an address that the caller did not choose.
    const response = await wire.fetch(url, { ...init, redirect: 'manual', signal: either });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { status, headers } = response;
    const retryAfterSeconds = parseRetryAfter(headers.get('retry-after'), wire.clock());
    const problem = status >= 400 ? problemFrom(mask(new TextDecoder().decode(bytes), secrets)) : undefined;
    return { status, headers, bytes, retryAfterSeconds, problem };
  } catch (error) {
    signal?.throwIfAborted();
    if (timeout.aborted) return { fault: 'timeout', reason: `${wire.timeoutMs} ms` };
    const { code, message } = rootOf(error);
    const isUnsent = unsentCodes.has(code ?? '') || message === REFUSED_PORT;
    return { fault: isUnsent ? 'unsent' : 'lost', reason: mask(code ?? message, secrets) };
  }
}

function mask(text: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}

function problemFrom(text: string): Record<string, unknown> | undefined {
  try {
    const problem: unknown = JSON.parse(text);
    return isRecord(problem) ? problem : undefined;
  } catch {
    return undefined;
  }
}

/** RFC 9110, 10.2.3: a number of seconds, or a date. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const atMs = header.endsWith('GMT') ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1000));
}

/** Faults that happen before a byte of the request has left, in the words of Node's sockets, of undici and of Bun. */
const unsentCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
]);

/** In the words of undici: fetch connects to no port that another protocol is known for, such as 1 or 6000. */
const REFUSED_PORT = 'bad port';

/** fetch wraps what happened: the innermost error names it. The depth is bounded because a cause may be a cycle. */
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
