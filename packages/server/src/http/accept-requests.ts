import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { ApiError } from '../kernel/errors.ts';
import { toProblem } from './contract/problem.ts';
import { callerOf, entrance } from './entrance.ts';
import { noteArrival } from './request-id.ts';

/**
 * The server below the framework. Ensures that a request names one host, and that every proxy reads the same host: it
 * selects the tenant (RFC 9112, 3.2 and 3.2.2). The same holds for the credential and for the length of the body: of two
 * headers, a proxy may read the last, and Node reads the first.
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
};

export function acceptRequests(handler: RequestListener, accepting: ServerOptions): Server {
  const { headers, proxies, gather, ...options } = accepting;
  const enter = entrance({ gather });
  const caller = callerOf(proxies);
  return createServer(options, (request, response) => {
    noteArrival(request);
    if (proxies.length > 0) dropPorts(request);
    const begin = () => {
      // The client has disconnected.
      if (response.destroyed) return;
      const fault = faultOf(request);
      if (fault) refuse(response, fault, headers);
      else handler(request, response);
    };
    if (!enter(caller(request), begin)) refuse(response, new ApiError(100010), { ...headers, 'retry-after': '1' });
  });
}

const WITH_PORT = /^\[?([^[\]]*?)\]?(?::\d+)?$/;

/**
 * Some proxies forward `192.0.2.1:50123` and `[2001:db8::1]:50123`. With its port, each connection of a caller would be an
 * address of its own to the limits, and a proxy among them would not be recognised.
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

/** Of several such headers Node reads the first. A proxy may read the last. */
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
  // An absolute target names the host itself, and the header is passed over.
  if (url.charCodeAt(0) !== SLASH && url !== '*') return readAbsoluteTarget(request, url);
  return isHost(request.headers.host) ? undefined : 'its Host is not the name of one host';
}

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Whether a Host header names one host, or none. A proxy may join two headers to `a, b`; that would name no tenant, and
 * the tenant of the credential would not be compared with either.
 */
function isHost(host: string | undefined): boolean {
  return host === undefined || host === '' || HOST.test(host);
}

/**
 * Ensures that everybody finds the end of the body in the same place. The parser takes `gzip, chunked`, and chunks in
 * HTTP/1.0, which proxies read otherwise (RFC 9112, 6.1), and requests of HTTP/0.9, which have no headers at all.
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
