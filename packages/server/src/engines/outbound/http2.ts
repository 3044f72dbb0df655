import { type ClientHttp2Session, connect as connectHttp2, constants, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { AllowList } from './allow-list.ts';
import { checkTarget, mayDial, type Target } from './check-target.ts';
import { checkedLookup, countInterimAnswers, faultOf, type OutboundFault, RefusedAddress } from './exchange.ts';
import { countRequest, limitSession } from './limit-session.ts';
import { hostResolver, type ResolveHost } from './resolve-host.ts';

/**
 * Requests to targets that speak only HTTP/2, with the same checks as `openOutbound`. One connection to each origin carries
 * all requests; after it breaks, the next request opens a new one.
 */
export type Http2 = {
  /** Never rejects. */
  send(request: Http2Request): Promise<Http2Answer>;
  close(): void;
};

export type Http2Request = { url: string; headers: Readonly<Record<string, string>>; body: string; timeoutMs: number };

export type Http2Answer =
  | { readonly status: number; readonly body: Buffer; readonly retryAfter?: string; readonly fault?: undefined }
  | { readonly fault: OutboundFault; readonly status?: undefined };

const MAX_SESSIONS = 64;
const MAX_ANSWER_BYTES = 4096;
/** One slow answer may be an exception; so many without any other answer mean that the connection is dead. */
const SILENCES_UNTIL_DEAD = 2;
const silences = new WeakMap<ClientHttp2Session, number>();
/** The errors with which connections ended. */
const ends = new WeakMap<ClientHttp2Session, Error>();

export function openHttp2(deps: { allow: AllowList; resolve?: ResolveHost }): Http2 {
  const { allow, resolve = hostResolver() } = deps;
  const sessions = new Map<string, ClientHttp2Session>();

  const sessionOf = (target: Target): ClientHttp2Session => {
    const { origin } = target.url;
    const openSession = sessions.get(origin);
    if (openSession && !openSession.closed && !openSession.destroyed) return openSession;
    const [oldest] = sessions.keys();
    if (sessions.size >= MAX_SESSIONS && oldest !== undefined) sessions.get(oldest)?.close();
    const socket = dial(target, { allow, resolve });
    // Nobody reads what a server pushes without a request.
    const session = connectHttp2(origin, { createConnection: () => socket, settings: { enablePush: false } });
    limitSession(session, socket);
    const forget = () => {
      if (sessions.get(origin) === session) sessions.delete(origin);
    };
    session.on('error', (error) => {
      // A stream on the connection reports only that it ended, not why.
      ends.set(session, error);
      forget();
    });
    session.on('close', forget);
    session.on('goaway', forget);
    session.unref();
    sessions.set(origin, session);
    return session;
  };

  return {
    async send(request) {
      const target = checkTarget(request.url, allow);
      if ('fault' in target) return { fault: 'refused_address' };
      try {
        return await ask(sessionOf(target), target, request);
      } catch (error) {
        return { fault: faultOf(error as NodeJS.ErrnoException) };
      }
    },
    close() {
      for (const session of sessions.values()) session.destroy();
    },
  };
}

/** Ensures that the address is allowed, when it is looked up and when it is connected. */
function dial(target: Target, { allow, resolve }: { allow: AllowList; resolve: ResolveHost }): Socket {
  const { protocol, port } = target.url;
  const lookup = checkedLookup(target, { allow, resolve });
  const secure = protocol === 'https:';
  const address = { host: target.host, port: Number(port) || (secure ? 443 : 80), lookup };
  const socket = secure
    ? connectTls({ ...address, servername: target.host, ALPNProtocols: ['h2'], rejectUnauthorized: true })
    : connectPlain(address);
  socket.once('connect', () => {
    if (!mayDial(socket.remoteAddress ?? '', target, allow)) socket.destroy(new RefusedAddress());
  });
  return socket;
}

function ask(
  session: ClientHttp2Session,
  { url }: Target,
  { headers, body, timeoutMs }: Http2Request,
): Promise<Http2Answer> {
  return new Promise((resolve) => {
    countRequest(session);
    const stream = session.request({
      ...headers,
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: `${url.pathname}${url.search}`,
      [constants.HTTP2_HEADER_CONTENT_LENGTH]: String(Buffer.byteLength(body)),
    });
    const end = (answer: Http2Answer) => {
      clearTimeout(timer);
      resolve(answer);
      stream.close(constants.NGHTTP2_CANCEL);
    };
    const timer = setTimeout(() => {
      const silent = (silences.get(session) ?? 0) + 1;
      silences.set(session, silent);
      end({ fault: 'timeout' });
      if (silent >= SILENCES_UNTIL_DEAD) session.destroy();
    }, timeoutMs);
    const chunks: Buffer[] = [];
    let bytes = 0;
    let answerHeaders: IncomingHttpHeaders = {};
    stream.on('headers', countInterimAnswers(end));
    stream.on('response', (received) => {
      answerHeaders = received;
      silences.delete(session);
    });
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) end({ fault: 'bad_answer' });
      else chunks.push(chunk);
    });
    stream.on('end', () => {
      const status = Number(answerHeaders[constants.HTTP2_HEADER_STATUS] ?? 0);
      const retryAfter = answerHeaders['retry-after'];
      if (status === 0) end({ fault: 'connection' });
      else end({ status, body: Buffer.concat(chunks), ...(retryAfter !== undefined && { retryAfter }) });
    });
    // The stream ends with its connection, and either of the two may have the reason.
    const broken = () =>
      setImmediate(() => end({ fault: faultOf(ends.get(session) ?? new Error('the stream ended')) }));
    stream.on('error', broken);
    stream.on('close', broken);
    stream.end(body);
  });
}
