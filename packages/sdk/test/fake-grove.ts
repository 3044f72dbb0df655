import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/**
 * A real HTTP server that a client cannot tell from Grove: it exchanges the key for tokens, refuses unknown tokens, and
 * otherwise follows the steps of a test, one step per request.
 */
export const API_KEY = 'grv_test_01JFAKEKEY_s3cr3t-of-the-key';

export type SeenRequest = { method: string; url: string; headers: IncomingHttpHeaders; body: string };
export type Step = (response: ServerResponse, request: SeenRequest) => void;

export type FakeGrove = {
  baseUrl: string;
  /** Every request except those that issue a token. */
  seen: SeenRequest[];
  issues: SeenRequest[];
  /** The tokens that the server accepts; a test revokes one by deleting it. */
  valid: Set<string>;
  ttl: number;
  /** The answers to the next requests; after them, `otherwise` answers. */
  steps: Step[];
  issueSteps: Step[];
  otherwise: Step;
};

export async function startFakeGrove(t: TestContext): Promise<FakeGrove> {
  const grove: FakeGrove = {
    baseUrl: '',
    seen: [],
    issues: [],
    valid: new Set(),
    ttl: 3600,
    steps: [],
    issueSteps: [],
    otherwise: json(200, {}),
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const seenRequest = { method, url, headers, body: Buffer.concat(chunks).toString() };
    if (url === '/api/arthr/apiKeys/issue') return issue(grove, seenRequest, response);
    grove.seen.push(seenRequest);
    const token = headers.authorization?.replace('Bearer ', '') ?? '';
    if (!grove.valid.has(token)) return problem(401, 279, 'The bearer token has expired')(response, seenRequest);
    (grove.steps.shift() ?? grove.otherwise)(response, seenRequest);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  grove.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return grove;
}

function issue(grove: FakeGrove, request: SeenRequest, response: ServerResponse): void {
  grove.issues.push(request);
  const step = grove.issueSteps.shift() ?? exchangeKey(grove);
  step(response, request);
}

function exchangeKey(grove: FakeGrove): Step {
  return (response, request) => {
    const isKnownKey = request.headers['x-api-key'] === API_KEY;
    const token = `fake.token-${grove.issues.length}.signature`;
    if (isKnownKey) grove.valid.add(token);
    const step = isKnownKey ? json(200, { token, ttl: grove.ttl }) : problem(401, 271, 'The API key failed validation');
    step(response, request);
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

export function problem(status: number, code: number, message: string, more: Problem = {}): Step {
  const { headers, ...members } = more;
  const body = { type: 'about:blank', title: 'Problem', status, code, message, requestId: 'req-1', ...members };
  return json(status, body, { 'content-type': 'application/problem+json', ...headers });
}
type Problem = { headers?: Record<string, string>; [member: string]: unknown };

/** Reads the request, then breaks the connection without an answer. */
export const reset: Step = (response) => {
  response.socket?.resetAndDestroy();
};

/** Never answers. */
export const hang: Step = () => {};

/** The members of a page envelope that the client reads. */
export function pageOf(content: unknown[], { number, totalPages }: { number: number; totalPages: number }) {
  return { content, number, totalPages, size: content.length, first: number === 0, last: number >= totalPages - 1 };
}
