import { timingSafeEqual } from 'node:crypto';
import { buildOpenApi, CONFIGURATION_FILES, configurationSchema, renderLlms } from '@grove/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../kernel/errors.ts';
import { documentedPages, mountDocs } from './pages/docs.ts';
import { mountLanding } from './pages/landing.ts';

/** Addresses without a credential: health, public keys, the description of the API; and metrics, which may need a token. */
export type PublicDeps = {
  version: string;
  /** Throws with the reason when the server should get no requests. */
  ready(): Promise<void>;
  jwks(): Promise<unknown>;
  /** The origins that may use the passkeys of a relying party that is this host; none if it is no relying party. */
  relatedOrigins(host: string): Promise<string[]>;
  /** The JSON Schema of process definitions. */
  definitionSchema(): unknown;
  metrics(): Promise<string>;
  metricsToken: string | undefined;
};

/** What every process answers, whatever its roles. */
export function mountHealth(app: FastifyInstance, deps: PublicDeps): void {
  app.get('/health/live', async () => ({ status: 'live', version: deps.version }));
  app.get('/health/ready', async () => {
    await deps.ready();
    return { status: 'ready', version: deps.version };
  });
  app.get('/metrics', async (request, reply) => {
    allowMetrics(request, deps.metricsToken);
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await deps.metrics());
  });
}

export function mountPublic(app: FastifyInstance, deps: PublicDeps): void {
  app.get('/.well-known/jwks.json', async (_request, reply) => {
    // A page may verify a signed result or a receipt by itself.
    reply.header('Cache-Control', 'public, max-age=60').header('Access-Control-Allow-Origin', '*');
    return { keys: await deps.jwks() };
  });
  // WebAuthn 5.11.1: browsers look here before they let a page of another domain use a passkey.
  app.get('/.well-known/webauthn', async (request, reply) => {
    const origins = await deps.relatedOrigins(request.headers.host ?? '');
    if (origins.length === 0) throw new ApiError(100003);
    reply.header('Cache-Control', 'public, max-age=60');
    return { origins };
  });
  // Built at the first request and kept as bytes, which cost nothing to send: anybody may ask, and often.
  let openapi: Buffer | undefined;
  app.get('/openapi.json', async (_request, reply) => {
    openapi ??= Buffer.from(JSON.stringify(buildOpenApi({ version: deps.version })));
    reply.header('Cache-Control', 'public, max-age=60').header('Access-Control-Allow-Origin', '*');
    return reply.type('application/json').send(openapi);
  });
  // For programs that read documentation (llmstxt.org).
  let llms: Buffer | undefined;
  app.get('/llms.txt', async (_request, reply) => {
    llms ??= Buffer.from(renderLlms(documentedPages()));
    return reply.header('Cache-Control', 'public, max-age=60').type('text/plain; charset=utf-8').send(llms);
  });
  let schema: Buffer | undefined;
  app.get('/schemas/process-definition.json', async (_request, reply) => {
    schema ??= Buffer.from(JSON.stringify(deps.definitionSchema()));
    reply.header('Cache-Control', 'public, max-age=60').header('Access-Control-Allow-Origin', '*');
    return reply.type('application/schema+json').send(schema);
  });
  // Of the files of `grove apply`, for editors.
  for (const name of CONFIGURATION_FILES) {
    let bytes: Buffer | undefined;
    app.get(`/schemas/${name}.json`, async (_request, reply) => {
      reply.header('Cache-Control', 'public, max-age=60').header('Access-Control-Allow-Origin', '*');
      bytes ??= Buffer.from(JSON.stringify(configurationSchema(name)));
      return reply.type('application/schema+json').send(bytes);
    });
  }
  mountDocs(app, deps);
  mountLanding(app);
}

function allowMetrics(request: FastifyRequest, token: string | undefined): void {
  if (token === undefined) {
    // Behind a proxy on this machine every address would be local, so a forwarded request never counts as local.
    const forwarded = request.headers['x-forwarded-for'] ?? request.headers.forwarded;
    const local = /^(127\.|::1$|::ffff:127\.)/.test(request.socket.remoteAddress ?? '');
    if (!local || forwarded)
      throw new ApiError(7, { detail: 'set GROVE_METRICS_TOKEN to read metrics from elsewhere' });
    return;
  }
  const actual = Buffer.from(request.headers.authorization ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) throw new ApiError(100008);
}
