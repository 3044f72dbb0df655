import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { ApiError } from '../kernel/errors.ts';
import { toProblem } from './contract/problem.ts';
import { callerOf, entrance } from './entrance.ts';
import { noteArrival } from './request-id.ts';
import { type UnreadAnswersOptions, unreadAnswers } from './unread-answers.ts';

/**
 * The server below the framework. Ensures that we and every proxy read the same host, which selects the tenant (RFC 9112,
 * 3.2 and 3.2.2), the same credential and the same length of the body: of two equal headers, a proxy may read the last, and
 * Node reads the first.
 */
export type ServerOptions = {
  headersTimeout: number;
  requestTimeout: number;
  keepAliveTimeout: number;
  maxHeaderSize: number;
  connectionsCheckingInterval: number;
  /** Of every answer. */
  headers: Readonly<Record<string, string>>;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  proxies: readonly string[];
  /** Begins the requests of a turn. */
  gather(begin: () => void): void;
  unread?: UnreadAnswersOptions;
};

export function acceptRequests(handler: RequestListener, accepting: ServerOptions): Server {
  const { headers, proxies, gather, unread: unreadOptions, ...options } = accepting;
  const enter = entrance({ gather });
  const callerIn = callerOf(proxies);
  const unread = unreadAnswers(unreadOptions);
  const server = createServer(options, (request, response) => {
    noteArrival(request);
    if (proxies.length > 0) dropPorts(request);
    const caller = callerIn(request);
    unread.note(request, response, caller);
    const begin = () => {
      // The client has disconnected.
      if (response.destroyed) return;
      const fault = faultOf(request);
      if (fault) refuse(response, fault, headers);
      else handler(request, response);
    };
    if (!enter(caller, begin)) refuse(response, new ApiError(100010), { ...headers, 'retry-after': '1' });
  });
  server.once('close', unread.stop);
  return server;
}

const WITH_PORT = /^\[?([^[\]]*?)\]?(?::\d+)?$/;

/**
 * Some proxies forward `192.0.2.1:50123` and `[2001:db8::1]:50123`. With the port, the limits would count each connection of
 * a caller as another address, and a proxy in the list would not be recognised.
 */
function dropPorts({ headers }: IncomingMessage): void {
  const forwarded = headers['x-forwarded-for'];
  if (typeof forwarded !== 'string' || !forwarded.includes(':')) return;
  headers['x-forwarded-for'] = forwarded
    .split(',')
    .map((entry) => {
      const address = entry.trim();
      return isIP(address) === 0 ? (WITH_PORT.exec(address)?.[1] ?? address) : address;
    })
    .join(', ');
}

/** Headers that a request may have once: Node reads the first of several, a proxy may read the last. */
const ONCE = ['Host', 'Authorization', 'Content-Type', 'Content-Encoding'] as const;
/** The lengths of these names. Most headers have another length, so their names need not be compared. */
const ONCE_LENGTHS: ReadonlySet<number> = new Set(ONCE.map(({ length }) => length));

function faultOf(request: IncomingMessage): ApiError | undefined {
  const detail = headerFault(request) ?? framingFault(request);
  if (detail !== undefined) return new ApiError(100001, { detail });
  const coding = request.headers['content-encoding'];
  if (coding === undefined || coding === '' || coding.toLowerCase() === 'identity') return undefined;
  return new ApiError(100006, { detail: 'without a Content-Encoding' });
}

function headerFault(request: IncomingMessage): string | undefined {
  const { rawHeaders, url = '' } = request;
  const names: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (ONCE_LENGTHS.has(name.length)) names.push(name.toLowerCase());
  }
  const twice = ONCE.find((name) => {
    const lowerCase = name.toLowerCase();
    return names.indexOf(lowerCase) !== names.lastIndexOf(lowerCase);
  });
  if (twice) return `it has more than one ${twice} header`;
  // An absolute target contains the host, so the header is ignored.
  if (url.charCodeAt(0) !== SLASH && url !== '*') return readAbsoluteTarget(request, url);
  return isHost(request.headers.host) ? undefined : 'its Host is not the name of one host';
}

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Ensures that a Host header names one host or none. A proxy may join two headers to `a, b`, which names no tenant, so the
 * tenant of the credential would be compared with neither.
 */
function isHost(host: string | undefined): boolean {
  return host === undefined || host === '' || HOST.test(host);
}

/**
 * Ensures that we and every proxy find the same end of the body (request smuggling). Node accepts `gzip, chunked`, and chunks
 * in HTTP/1.0, which proxies read differently (RFC 9112, 6.1), and requests of HTTP/0.9, which have no headers.
 */
function framingFault({ httpVersionMajor, httpVersionMinor, headers }: IncomingMessage): string | undefined {
  if (httpVersionMajor !== 1) return 'it is not of HTTP/1.1';
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return undefined;
  if (httpVersionMinor === 0) return 'it has a Transfer-Encoding, which HTTP/1.0 does not know';
  return coding.toLowerCase() === 'chunked' ? undefined : 'its Transfer-Encoding is not chunked alone';
}

const SLASH = 0x2f;
const ABSOLUTE = /^https?:\/\/([a-z0-9._-]+(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?)([/?].*)?$/i;

function readAbsoluteTarget(request: IncomingMessage, url: string): string | undefined {
  const [, host, path = '/'] = ABSOLUTE.exec(url) ?? [];
  if (host === undefined) return 'its target is neither a path nor an address';
  request.headers.host = host;
  request.url = path.startsWith('/') ? path : `/${path}`;
  return undefined;
}

/** Closes the connection: the sender may disagree with us on where the next request begins (request smuggling), or floods us. */
function refuse(response: ServerResponse, error: ApiError, headers: ServerOptions['headers']): void {
  const problem = toProblem(error, 'none');
  const body = JSON.stringify(problem);
  response.writeHead(problem.status, {
    ...headers,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
}
