import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { ApiError } from '../kernel/errors.ts';
import { toProblem } from './contract/problem.ts';
import { callerOf, entrance } from './entrance.ts';
import { noteArrival } from './request-id.ts';

/**
 * The server below the framework. Ensures that a request names one host, and that it is the host everybody reads: the
 * tenant is told by it (RFC 9112, 3.2 and 3.2.2). The same for the credential: a proxy may read the last of two, and Node
 * reads the first.
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
    const begin = () => {
      // The client has disconnected.
      if (response.destroyed) return;
      const fault = hostFault(request);
      if (fault) refuse(response, new ApiError(100001, { detail: fault }), headers);
      else handler(request, response);
    };
    if (!enter(caller(request), begin)) refuse(response, new ApiError(100010), { ...headers, 'retry-after': '1' });
  });
}

function hostFault(request: IncomingMessage): string | undefined {
  const { rawHeaders, url = '' } = request;
  let hosts = 0;
  let credentials = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts += 1;
    else if (name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) credentials += 1;
  }
  if (hosts > 1) return 'it has more than one Host header';
  if (credentials > 1) return 'it has more than one Authorization header';
  // An absolute target names the host itself, and the header is passed over.
  return url.charCodeAt(0) === SLASH || url === '*' ? undefined : readAbsoluteTarget(request, url);
}

const HOST = 'host';
const AUTHORIZATION = 'authorization';
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
