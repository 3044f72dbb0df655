import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../kernel/errors.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { pageHeaders } from '../../kernel/page-headers.ts';
import { embeddingOrigin } from './framed-by.ts';

/**
 * Serves the pages that tenants upload. They may be hostile. Ensures that a page has no access to cookies, storage, cameras
 * and the API, and loads only its own files: the sandbox of its policy makes its origin opaque, whatever host serves it. If
 * a domain for pages is configured, only that domain serves them, each version under a separate host.
 */
export type CustomPagesDeps = {
  /** A file of a page, by the label in its address. */
  pageFile(label: string, path: string): Promise<PageFile | undefined>;
  /** The domain of pages, if there is one. */
  pagesDomain: string | undefined;
  /** The journeys of a tenant, which may frame its pages. */
  baseUrlOf(tenantId: string): string;
  /** Whether a page of that origin may frame a journey, and with it the custom page in it. */
  mayFramePage(tenantId: TenantId, origin: string): Promise<boolean>;
};

export type PageFile = {
  readonly tenantId: TenantId;
  readonly contentType: string;
  readonly sha256: string;
  readonly preview: boolean;
  /** Undefined if the file was deleted meanwhile. */
  readContent(): Promise<Uint8Array | undefined>;
};

export const PAGES_PATH = '/pages/';

/** A version never changes. It is not cached for ever, because it can be withdrawn. */
const KEPT_SECONDS = 3600;

/** Ensures that a host of the domain of pages serves only files of its page. */
export function rewritePageHost(pagesDomain: string): (request: IncomingMessage) => string {
  return ({ headers, url = '/' }) => {
    const label = labelOfHost(headers.host, pagesDomain);
    return label === undefined ? url : `${PAGES_PATH}${label}${url.startsWith('/') ? url : '/'}`;
  };
}

function labelOfHost(host: string | undefined, pagesDomain: string): string | undefined {
  const name = (host ?? '').replace(/:\d+$/, '').toLowerCase().replace(/\.$/, '');
  if (name === pagesDomain) return '-';
  if (!name.endsWith(`.${pagesDomain}`)) return undefined;
  const label = name.slice(0, -pagesDomain.length - 1);
  return /^[a-z0-9-]+$/.test(label) ? label : '-';
}

export function mountCustomPages(app: FastifyInstance, deps: CustomPagesDeps): void {
  const { pageFile, pagesDomain } = deps;
  app.route({
    method: ['GET', 'HEAD'],
    url: `${PAGES_PATH}:label/*`,
    handler: async (request, reply) => {
      const { label, '*': path } = request.params as { label: string; '*': string };
      // If pages have a domain, no other host serves them.
      const misplaced = pagesDomain !== undefined && labelOfHost(request.headers.host, pagesDomain) !== label;
      const file = misplaced ? undefined : await pageFile(label, path);
      if (!file) throw new ApiError(100003);
      return send(request, reply, { file, label, deps });
    },
  });
}

type Page = { file: PageFile; label: string; deps: CustomPagesDeps };

async function send(request: FastifyRequest, reply: FastifyReply, { file, label, deps }: Page): Promise<FastifyReply> {
  const apart = deps.pagesDomain !== undefined;
  const journey = apart ? deps.baseUrlOf(file.tenantId) : "'self'";
  const requestOrigin = embeddingOrigin(request);
  const isListed = requestOrigin !== undefined && (await deps.mayFramePage(file.tenantId, requestOrigin));
  const tag = `"${file.sha256.slice(0, 32)}"`;
  reply
    .headers(
      pageHeaders({
        host: request.headers.host,
        folder: apart ? '' : `${PAGES_PATH}${label}/`,
        ancestors: isListed ? `${journey} ${requestOrigin}` : journey,
      }),
    )
    .header('Cache-Control', file.preview ? 'no-store' : `public, max-age=${KEPT_SECONDS}`)
    .header('ETag', tag)
    .type(file.contentType);
  if (request.headers['if-none-match'] === tag) return reply.code(304).send();
  if (request.method === 'HEAD') return reply.send('');
  const bytes = await file.readContent();
  if (!bytes) throw new ApiError(100003);
  // A view, because a copy of some megabytes takes milliseconds.
  return reply.send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}
