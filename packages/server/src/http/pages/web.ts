import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../kernel/errors.ts';

/**
 * Serves the built pages of end users and operators. Only files that are listed in the folder are served, by their exact
 * name: the path of a request never becomes the path of a file (path traversal). Nothing is read before the first request.
 */
export type WebDeps = {
  /** The folder of the built pages. */
  folder: string;
  /** The domain of custom pages, if there is one. */
  pagesDomain?: string | undefined;
  /** The origin that may frame the requested page, if there is one. */
  framedBy(request: FastifyRequest): Promise<string | undefined>;
};

/** The one page of the journey, under each of its addresses. */
const PAGES: ReadonlySet<string> = new Set(['', 'accessibility', 'camera-check', 'preview']);
/** The preview for operators, which the console of the same origin frames. It knows no journey and calls nothing. */
const FRAMED_BY_CONSOLE = 'preview';
const LOOK_AGAIN_AFTER_MS = 1000;
const MAX_FILES = 2000;

const POLICY = [
  "default-src 'none'",
  // The detection of faces and corners runs as WebAssembly.
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  // Pages of the tenant come from this server, too, in their sandbox.
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PERMISSIONS = [
  'camera=(self)',
  'publickey-credentials-get=(self)',
  'publickey-credentials-create=(self)',
  'clipboard-write=(self)',
  'fullscreen=(self)',
  'microphone=()',
  'geolocation=()',
  'payment=()',
  'usb=()',
  'display-capture=()',
  'serial=()',
  'midi=()',
  'hid=()',
].join(', ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.wasm': 'application/wasm',
  '.bin': 'application/octet-stream',
  '.txt': 'text/plain; charset=utf-8',
};

export function mountWeb(app: FastifyInstance, { folder, pagesDomain, framedBy }: WebDeps): void {
  // If custom pages have a domain, nothing else can be framed.
  const policy =
    pagesDomain === undefined ? POLICY : POLICY.replace("frame-src 'self'", `frame-src *.${pagesDomain}:*`);
  mountSite(app, {
    prefix: '/web',
    folder,
    isPage: (name) => PAGES.has(name),
    policy: () => policy,
    ancestorOf: async (name, request) => {
      if (name === FRAMED_BY_CONSOLE) return "'self'";
      return name === '' ? framedBy(request) : undefined;
    },
  });
}

/** The console frames test journeys of its tenant, as a phone would show them. */
const CONSOLE_POLICY = POLICY.replace("'self' 'wasm-unsafe-eval'", "'self'");

/** The console for operators. A name with a dot is a file; all others are screens. */
export function mountConsole(app: FastifyInstance, folder: string): void {
  // Its components write styles at run time, which a nonce in each answer permits.
  const policy = (nonce: string) => CONSOLE_POLICY.replace("style-src 'self'", `style-src 'self' 'nonce-${nonce}'`);
  mountSite(app, { prefix: '/console', folder, isPage: (name) => !name.includes('.'), policy, hasNonce: true });
}

type Site = {
  prefix: string;
  folder: string;
  isPage(name: string): boolean;
  policy(nonce: string): string;
  /** Whether the page contains `__NONCE__`, which is replaced in each answer. */
  hasNonce?: boolean;
  /** The source of `frame-ancestors` for a page; nobody may frame it by default. */
  ancestorOf?(name: string, request: FastifyRequest): Promise<string | undefined>;
};

function mountSite(app: FastifyInstance, { prefix, folder, isPage, policy, hasNonce = false, ancestorOf }: Site): void {
  const find = finder(folder);
  app.get(prefix, async (request, reply) => reply.redirect(`${prefix}/${queryOf(request.url)}`, 308));
  app.route({
    method: ['GET', 'HEAD'],
    url: `${prefix}/*`,
    handler: async (request, reply) => {
      const name = (request.params as { '*': string })['*'];
      const nonce = hasNonce ? randomBytes(NONCE_BYTES).toString('base64url') : '';
      const site = { folder, find, policy: policy(nonce) };
      return isPage(name)
        ? sendPage(request, reply, { ...site, nonce, ancestor: await ancestorOf?.(name, request) })
        : sendAsset(request, reply, { ...site, name });
    },
  });
}

const NONCE_BYTES = 16;

function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}

type Find = (name: string) => Promise<boolean>;
type ServedFolder = { folder: string; find: Find; policy: string };

/** Lists the built files. Lists them again when a name is missing, because it may have been built since. */
function finder(folder: string): Find {
  let names: Promise<ReadonlySet<string>> | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async (name) => {
    if (names !== undefined && (await names).has(name)) return true;
    if (performance.now() - lookedAt < LOOK_AGAIN_AFTER_MS) return false;
    lookedAt = performance.now();
    names = namesIn(folder);
    return (await names).has(name);
  };
}

async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((each) => each.isFile()).slice(0, MAX_FILES);
  return new Set(
    files.map((each) =>
      join(each.parentPath, each.name)
        .slice(folder.length + 1)
        .replaceAll(sep, '/'),
    ),
  );
}

async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { folder, find, policy, nonce, ancestor }: ServedFolder & { nonce: string; ancestor: string | undefined },
): Promise<FastifyReply> {
  if (!(await find('index.html'))) throw new ApiError(100135, { retryAfterSeconds: 10 });
  const encoding = nonce === '' ? await encodingFor(request, find, 'index.html') : undefined;
  const file = await readFile(fileOf(folder, 'index.html', encoding)).catch(throwNotFound);
  const bytes = nonce === '' ? file : Buffer.from(file.toString('utf8').replaceAll('__NONCE__', nonce));
  const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const pagePolicy = nonce === '' ? await permitInline(folder, tag, policy) : policy;
  reply
    .headers(framingHeaders(pagePolicy, ancestor))
    .header('Permissions-Policy', PERMISSIONS)
    // The page names the files of its release, so browsers must check each time whether it has changed.
    .header('Cache-Control', 'no-cache')
    .header('ETag', tag);
  common(reply, 'index.html', encoding);
  if (request.headers['if-none-match'] === tag) return reply.code(304).send();
  return reply.send(request.method === 'HEAD' ? '' : bytes);
}

/** The policies of the built pages, by tag and base policy; a server has one page in two encodings. */
const pagePolicies = new Map<string, string>();
const MAX_POLICIES = 20;
const INLINE = /<script(?![^>]* src=)[^>]*>([\s\S]*?)<\/script>/g;

/** Ensures that only the scripts which were built into the page run (XSS). */
async function permitInline(folder: string, tag: string, policy: string): Promise<string> {
  const key = `${tag} ${policy}`;
  const cachedPolicy = pagePolicies.get(key);
  if (cachedPolicy !== undefined) return cachedPolicy;
  const page = (await readFile(fileOf(folder, 'index.html', undefined)).catch(throwNotFound)).toString('utf8');
  const hashes = [...page.matchAll(INLINE)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  const pagePolicy = policy.replace("script-src 'self'", ["script-src 'self'", ...hashes].join(' '));
  if (pagePolicies.size >= MAX_POLICIES) pagePolicies.clear();
  pagePolicies.set(key, pagePolicy);
  return pagePolicy;
}

/**
 * Ensures that nobody frames a page (clickjacking) except an origin that the tenant lists. That origin may also open it in a
 * window and receive its messages. See docs/decisions/2026-11-16-journeys-are-framed-by-listed-origins.md.
 */
function framingHeaders(policy: string, ancestor: string | undefined): Record<string, string> {
  if (ancestor === undefined) {
    return {
      'Content-Security-Policy': policy,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'X-Frame-Options': 'DENY',
    };
  }
  return {
    'Content-Security-Policy': policy.replace("frame-ancestors 'none'", `frame-ancestors ${ancestor}`),
    'Cross-Origin-Opener-Policy': 'unsafe-none',
  };
}

async function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  { folder, find, policy, name }: ServedFolder & { name: string },
): Promise<FastifyReply> {
  // A compressed copy of a file has no address of its own.
  if (/\.(br|gz)$|^index\.html$|^manifest\.json$/.test(name) || !(await find(name))) throw new ApiError(100003);
  const encoding = await encodingFor(request, find, name);
  const file = fileOf(folder, name, encoding);
  const { size } = await stat(file).catch(throwNotFound);
  // The name of a file under assets contains a hash of its content.
  const cacheControl = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600';
  reply
    .header('Cache-Control', cacheControl)
    .header('Content-Length', size)
    .header('Cross-Origin-Resource-Policy', 'same-origin');
  // A worker has the policy of its own file.
  reply.header('Content-Security-Policy', policy);
  common(reply, name, encoding);
  return reply.send(request.method === 'HEAD' ? '' : createReadStream(file));
}

/** For a file that a newer build has replaced since it was listed. */
function throwNotFound(): never {
  throw new ApiError(100003);
}

function common(reply: FastifyReply, name: string, encoding: Encoding): void {
  reply
    .header('Referrer-Policy', 'no-referrer')
    .header('X-Content-Type-Options', 'nosniff')
    .header('Vary', 'Accept-Encoding')
    .type(TYPES[extname(name)] ?? 'application/octet-stream');
  if (encoding) reply.header('Content-Encoding', encoding);
}

type Encoding = 'br' | 'gzip' | undefined;

function fileOf(folder: string, name: string, encoding: Encoding): string {
  return join(folder, name) + (encoding === undefined ? '' : encoding === 'br' ? '.br' : '.gz');
}

async function encodingFor({ headers }: FastifyRequest, find: Find, name: string): Promise<Encoding> {
  const accepted = String(headers['accept-encoding'] ?? '');
  if (/\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted) && (await find(`${name}.br`))) return 'br';
  if (/\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepted) && (await find(`${name}.gz`))) return 'gzip';
  return undefined;
}
