import { type Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { type Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { AllowList } from './allow-list.ts';
import { mayDial, type Target } from './check-target.ts';
import type { ResolveHost } from './resolve-host.ts';

export type OutboundRequest = {
  method: 'GET' | 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Buffer;
  /** The limit from the DNS look-up to the last byte. */
  timeoutMs?: number;
  maxAnswerBytes?: number;
  /** Returns the whole body of the answer; a longer one than the limit is a `bad_answer`. */
  wantBody?: boolean;
  /** Returns the start of the body with the status; the rest beyond the limit is dropped. */
  keepStart?: boolean;
  signal?: AbortSignal;
};

export type OutboundFault =
  | 'refused_address'
  | 'dns'
  | 'connection'
  | 'tls'
  | 'timeout'
  | 'bad_request'
  | 'bad_answer'
  | 'stopped';

export type Agents = { readonly http: Agent; readonly https: HttpsAgent };
export type BoundedRequest = OutboundRequest & { timeoutMs: number; maxAnswerBytes: number };
export type ExchangeDeps = { allow: AllowList; resolve: ResolveHost; sockets: Set<Socket>; agents: Agents };

/** `stale`: the other side closed a reused connection during the request. */
export type ExchangeResult = { stale?: boolean } & (
  | { status: number; retryAfter?: string; body?: Buffer }
  | { fault: OutboundFault; status?: undefined }
);

const MAX_HEADER_BYTES = 8192;
/** The status is enough. The body is read, for this long, only so that the connection can be used again. */
const BODY_WITHIN_MS = 1000;
const MAX_INTERIM_ANSWERS = 10;

/**
 * Counts interim answers (1xx), and ends the exchange after too many. Without a limit, a receiver that sends nothing else keeps
 * this thread busy.
 */
export function countInterimAnswers(end: (outcome: { fault: 'bad_answer' }) => void): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count > MAX_INTERIM_ANSWERS) end({ fault: 'bad_answer' });
  };
}

export class RefusedAddress extends Error {}

/** One request and its answer. A redirect is an answer like any other; nobody follows it. */
export function exchange(
  { method, headers, body, timeoutMs, maxAnswerBytes, wantBody, keepStart = false, signal }: BoundedRequest,
  target: Target,
  deps: ExchangeDeps,
): Promise<ExchangeResult> {
  const secure = target.url.protocol === 'https:';
  return new Promise((resolve) => {
    let request: ClientRequest | undefined;
    const end = (outcome: ExchangeResult, { close = true } = {}) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (close) request?.destroy();
      resolve(outcome);
    };
    const onAbort = () => end({ fault: 'stopped' });
    const timer = setTimeout(() => end({ fault: 'timeout' }), timeoutMs);
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) return end({ fault: 'stopped' });
    try {
      request = (secure ? httpsRequest : httpRequest)(target.url, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
        agent: secure ? deps.agents.https : deps.agents.http,
        lookup: checkedLookup(target, deps),
        maxHeaderSize: MAX_HEADER_BYTES,
      });
    } catch {
      return end({ fault: 'bad_request' });
    }
    const openRequest = request;
    watchSocket(openRequest, target, deps);
    openRequest.on('error', (error: NodeJS.ErrnoException) => {
      const stale = openRequest.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(error.code ?? '');
      end({ fault: faultOf(error), ...(stale && { stale }) });
    });
    // An answer that changes the protocol closes the request without another event.
    openRequest.on('close', () => end({ fault: 'connection' }));
    openRequest.on('information', countInterimAnswers(end));
    openRequest.on('response', (answer) =>
      wantBody ? readBody(answer, maxAnswerBytes, end) : readStatus(answer, { maxAnswerBytes, keepStart }, end),
    );
    openRequest.end(body);
  });
}

type End = (outcome: ExchangeResult, options?: { close: boolean }) => void;

function readBody(answer: IncomingMessage, maxAnswerBytes: number, end: End): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) end({ fault: 'bad_answer' });
    else chunks.push(chunk);
  });
  answer.on('end', () => end({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) }, { close: false }));
  answer.on('error', () => end({ fault: 'bad_answer' }));
}

type StatusLimits = { maxAnswerBytes: number; keepStart: boolean };

function readStatus(answer: IncomingMessage, { maxAnswerBytes, keepStart }: StatusLimits, end: End): void {
  const retryAfter = answer.headers['retry-after'];
  const outcome = { status: answer.statusCode ?? 0, ...(retryAfter !== undefined && { retryAfter }) };
  const start: Buffer[] = [];
  const finish = (close: boolean) => {
    clearTimeout(enough);
    const body = keepStart && { body: Buffer.concat(start).subarray(0, maxAnswerBytes) };
    end({ ...outcome, ...body }, { close });
  };
  const enough = setTimeout(() => finish(true), BODY_WITHIN_MS);
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    if (keepStart && bytes <= maxAnswerBytes) start.push(chunk);
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) finish(true);
  });
  answer.on('end', () => finish(false));
  answer.on('error', () => finish(true));
}

/** Ensures that the dialled address is the one that was checked: a second look-up could return another (DNS rebinding). */
export function checkedLookup(
  target: Target,
  { allow, resolve }: Pick<ExchangeDeps, 'allow' | 'resolve'>,
): LookupFunction {
  return (host, options, done) => {
    const asSystem = target.trust !== 'public';
    const lookup = resolve(host, { asSystem }).catch((error) => {
      // Only the system can resolve short internal names.
      if (asSystem || allow.ranges.length === 0) throw error;
      return resolve(host, { asSystem: true });
    });
    lookup.then(
      (addresses) => {
        const all = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = all;
        // One forbidden address among several is enough to refuse the name.
        if (!first || !addresses.every((address) => mayDial(address, target, allow))) {
          done(new RefusedAddress(), '', 0);
        } else if (options.all) done(null, all);
        else done(null, first.address, first.family);
      },
      (error) => done(error, '', 0),
    );
  };
}

/** Ensures that the connection leads to an allowed address, also for a literal address, which is never looked up. */
function watchSocket(request: ClientRequest, target: Target, { allow, sockets }: ExchangeDeps): void {
  request.on('socket', (socket: Socket) => {
    if (!sockets.has(socket)) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    const check = () => {
      if (!mayDial(socket.remoteAddress ?? '', target, allow)) request.destroy(new RefusedAddress());
    };
    if (socket.connecting) socket.once('connect', check);
    else check();
  });
}

const TLS = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_MISMATCH|INVALID_CA|CRL_)/;
const DNS = /^(ENOTFOUND|ENODATA|ESERVFAIL|ETIMEOUT|EREFUSED|EAI_|ENONAME|EBADNAME|EFORMERR|ECANCELLED|ENOTIMP)/;

export function faultOf(error: NodeJS.ErrnoException): OutboundFault {
  const code = error.code ?? '';
  if (error instanceof RefusedAddress) return 'refused_address';
  if (TLS.test(code)) return 'tls';
  if (DNS.test(code)) return 'dns';
  return code.startsWith('HPE_') ? 'bad_answer' : 'connection';
}
