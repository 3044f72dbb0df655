import { timingSafeEqual } from 'node:crypto';
import { buildOpenApi, CONFIGURATION_FILES, configurationSchema, renderLlms } from '@grove/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../kernel/errors.ts';
import { documentedPages, mountDocs } from './pages/docs.ts';
import { mountLanding } from './pages/landing.ts';

/** Addresses without a credential: health, public keys and the description of the API. Metrics may need a token. */
export type PublicDeps = {
  version: string;
  /** Rejects with the reason if the server should get no requests. */
  ready(): Promise<void>;
  jwks(): Promise<unknown>;
  /** The origins that may use the passkeys of this host; none if the host is not a relying party. */
  relatedOrigins(host: string): Promise<string[]>;
  /** The JSON Schema of process definitions. */
  definitionSchema(): unknown;
  metrics(): Promise<string>;
  metricsToken: string | undefined;
};

/** Mounts the addresses that every process serves, whatever its roles. */
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
  addDocument(app, '/openapi.json', 'application/json', () => JSON.stringify(buildOpenApi({ version: deps.version })));
  // For programs that read documentation (llmstxt.org).
  addDocument(app, '/llms.txt', 'text/plain; charset=utf-8', () => renderLlms(documentedPages()));
  const addSchema = (name: string, build: () => unknown) =>
    addDocument(app, `/schemas/${name}.json`, 'application/schema+json', () => JSON.stringify(build()));
  addSchema('process-definition', deps.definitionSchema);
  // Schemas of the files of `grove apply`, for editors.
  for (const name of CONFIGURATION_FILES) addSchema(name, () => configurationSchema(name));
  mountDocs(app, deps);
  mountLanding(app);
}

/** Builds the document at its first request and stores the bytes, so that frequent requests of anybody cost little. */
function addDocument(app: FastifyInstance, path: string, type: string, build: () => string): void {
  let bytes: Buffer | undefined;
  app.get(path, async (_request, reply) => {
    bytes ??= Buffer.from(build());
    if (type.includes('json')) reply.header('Access-Control-Allow-Origin', '*');
    return reply.header('Cache-Control', 'public, max-age=60').type(type).send(bytes);
  });
}

function allowMetrics(request: FastifyRequest, token: string | undefined): void {
  if (token === undefined) {
    // Behind a proxy on this machine every address is local, so a forwarded request never counts as local.
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
