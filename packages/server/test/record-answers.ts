import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { EXERCISED_FILE, exercisedLine } from '../../../scripts/exercised.ts';

/**
 * Notes which route answered with which status and code while a test ran, for `npm run conformance`. Only whole
 * applications are listened to: a handler that a test made up proves nothing about ours.
 */
const noted = new Set<string>();

export function recordAnswers(http: FastifyInstance): void {
  http.addHook('onSend', (request, reply, payload, done) => {
    const { served } = request.routeOptions.config ?? {};
    // Where no operation is served there are codes as well: those of addresses that do not exist, and of pages.
    const url = served ? request.routeOptions.url : '-';
    if (reply.statusCode >= 400) note(request.method, url, reply.statusCode, codeIn(payload));
    done(null, payload);
  });
  http.addHook('onResponse', (request, reply, done) => {
    const { served } = request.routeOptions.config ?? {};
    if (served && reply.raw.statusCode < 400) note(request.method, request.routeOptions.url, reply.raw.statusCode);
    done();
  });
}

function codeIn(payload: unknown): number | undefined {
  const found = typeof payload === 'string' ? /"code":(\d+)/.exec(payload)?.[1] : undefined;
  return found === undefined ? undefined : Number(found);
}

function note(method: string, url: string | undefined, status: number, code?: number): void {
  if (noted.size === 0) process.once('exit', write);
  noted.add(exercisedLine({ route: `${method} ${(url ?? '').replace(/:(\w+)/g, '{$1}')}`, status, code }));
}

/** At the end, in one piece: several processes write to the same file. */
function write(): void {
  mkdirSync(dirname(EXERCISED_FILE), { recursive: true });
  appendFileSync(EXERCISED_FILE, `${[...noted].join('\n')}\n`);
}
