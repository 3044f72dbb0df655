import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Fast lane: answers of the contract are written directly to the connection. Their headers are known beforehand, and the
 * framework would cost as much as the work of a small read. `onSend` hooks do not see these answers. All others use the
 * framework. `GROVE_FAST_LANE=off` switches it off: then all answers do.
 */
export type Respond = (request: FastifyRequest, reply: FastifyReply, status: number, json: Json | undefined) => void;
/** A long answer has several parts, which are sent one after another. */
export type Json = string | readonly Buffer[];

declare module 'fastify' {
  interface FastifyRequest {
    /** The headers of the answer beside the usual ones: names and values in turn. */
    extraHeaders: string[] | null;
  }
}

type Headers = Readonly<Record<string, string>>;

export function usualHeaders(scheme: 'http' | 'https'): Headers {
  return {
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...(scheme === 'https' && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
  };
}

export function addHeader(request: FastifyRequest, name: string, value: string): void {
  request.extraHeaders ??= [];
  request.extraHeaders.push(name, value);
}

export function responder(app: FastifyInstance, scheme: 'http' | 'https', isFast = true): Respond {
  const usual = usualHeaders(scheme);
  const usualPairs = Object.entries(usual).flat();
  const jsonPairs = [...usualPairs, 'content-type', 'application/json; charset=utf-8'];
  app.decorateRequest('extraHeaders', null);

  // Answers of the framework get the same headers, unless a route has set others.
  app.addHook('onSend', (request, reply, payload, done) => {
    for (const name in usual) if (!reply.hasHeader(name)) reply.header(name, usual[name]);
    reply.header('x-request-id', request.id);
    const extra = request.extraHeaders ?? [];
    for (let at = 0; at < extra.length; at += 2) reply.header(extra[at] as string, extra[at + 1]);
    done(null, payload);
  });

  if (!isFast) {
    return (_request, reply, status, json) => {
      if (json !== undefined) reply.type('application/json; charset=utf-8');
      reply.code(status).send(typeof json === 'object' ? Buffer.concat(json) : json);
    };
  }
  return (request, reply, status, json) => {
    const bytes = json === undefined ? 0 : lengthOf(json);
    const own =
      json === undefined
        ? [...usualPairs, 'x-request-id', request.id]
        : [...jsonPairs, 'content-length', String(bytes), 'x-request-id', request.id];
    const headers = request.extraHeaders ? own.concat(request.extraHeaders) : own;
    // The head comes first, because an invalid header is a fault that can still be answered.
    reply.raw.writeHead(status, headers);
    reply.hijack();
    // A text with as many bytes as characters is ASCII and needs no encoding.
    if (json === undefined) reply.raw.end();
    else if (typeof json === 'object') writeParts(reply.raw, json).catch(() => reply.raw.destroy());
    else reply.raw.end(json, bytes === json.length ? 'latin1' : 'utf8');
  };
}

export type RespondProblem = (request: FastifyRequest, reply: FastifyReply, status: number, json: string) => void;

/** Fast lane for problems: a flood of refused requests costs others less. */
export function problemResponder(scheme: 'http' | 'https', isFast = true): RespondProblem {
  const usual = [...Object.entries(usualHeaders(scheme)).flat(), 'content-type', PROBLEM];
  return (request, reply, status, json) => {
    const names = Object.keys(reply.getHeaders());
    // The framework handles headers that a route has set, because they replace the usual ones.
    if (!isFast || names.some((name) => name !== 'connection')) {
      reply.code(status).type(PROBLEM).serializer(String).send(json);
      return;
    }
    const bytes = Buffer.byteLength(json);
    const own = [...usual, 'content-length', String(bytes), 'x-request-id', request.id];
    if (names.length > 0) own.push('connection', String(reply.getHeader('connection')));
    reply.raw.writeHead(status, request.extraHeaders ? own.concat(request.extraHeaders) : own);
    reply.hijack();
    reply.raw.end(json, bytes === json.length ? 'latin1' : 'utf8');
  };
}

const PROBLEM = 'application/problem+json';

function lengthOf(json: Json): number {
  if (typeof json === 'string') return Buffer.byteLength(json);
  return json.reduce((sum, part) => sum + part.length, 0);
}

/** Serves others between two parts, because it takes some milliseconds to pass a megabyte to the system. */
async function writeParts(response: ServerResponse, parts: readonly Buffer[]): Promise<void> {
  for (const part of parts) {
    if (response.destroyed) return;
    response.write(part);
    await nextTurn();
  }
  response.end();
}
