import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { buildPostman } from '@grove/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../kernel/errors.ts';
import { layout } from './docs/layout.ts';
import { firstSentence, loadSite, overviewHtml, readSiteFile, type Site, searchEntries } from './docs/site.ts';
import { mountReference } from './reference.ts';

/**
 * The documentation of this release, complete without any other site. Files are looked up in a map by name: the path of a
 * request never becomes the path of a file (path traversal).
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  png: 'image/png',
};
const TEXT = 'text/plain; charset=utf-8';

type Asset = { readonly type: string; readonly bytes: Buffer; zipped?: Buffer };
type Assets = ReadonlyMap<string, () => Asset>;

export function mountDocs(app: FastifyInstance, { version }: { version: string }): void {
  let assets: Assets | undefined;
  const cache = new Map<string, Asset>();
  app.get('/docs', async (_request, reply) => reply.redirect('/docs/', 308));
  mountReference(app);
  app.route({
    method: ['GET', 'HEAD'],
    url: '/docs/*',
    handler: async (request, reply) => {
      const name = (request.params as { '*': string })['*'];
      assets ??= assetsOf(loadSite(), version);
      const make = assets.get(name);
      if (!make) throw new ApiError(100003);
      const asset = cache.get(name) ?? make();
      cache.set(name, asset);
      return send(request, reply, asset);
    },
  });
}

/** The pages as `llms.txt` lists them, in the order of the contents. */
export function documentedPages(): { name: string; title: string; about: string }[] {
  const chapters = loadSite().chapters.filter(({ title }) => title !== 'Decisions');
  return chapters.flatMap(({ pages }) =>
    pages.map(({ name, label: title, opening }) => ({ name, title, about: firstSentence(opening) })),
  );
}

/** All assets by their name after `/docs/`. Each is made at its first request. */
function assetsOf(site: Site, version: string): Assets {
  const assets = new Map<string, () => Asset>();
  const add = (name: string, ending: string, body: () => string | Buffer) =>
    assets.set(name, () => ({ type: TYPES[ending] ?? TEXT, bytes: Buffer.from(body()) }));
  const overview = { site, name: '', title: 'Documentation', sections: [] };
  add('', 'html', () => layout({ ...overview, html: overviewHtml(site) }));
  for (const [name, page] of site.pages) {
    add(name, 'html', () => layout({ site, ...page }));
    add(`${name}.md`, 'md', () => page.source);
  }
  // Scripts in examples are served as text, so that no browser runs them.
  for (const path of site.files) {
    add(`files/${path}`, path.endsWith('.png') ? 'png' : 'text', () => readSiteFile(path));
  }
  const beside = (path: string) => () => readFileSync(fileURLToPath(new URL(`./docs/${path}`, import.meta.url)));
  add('style.css', 'css', beside('style.css'));
  add('search.js', 'js', beside('search.js'));
  add('minisearch.js', 'js', () => readFileSync(fileURLToPath(import.meta.resolve('minisearch'))));
  add('search.json', 'json', () => JSON.stringify(searchEntries(site)));
  add('grove.postman_collection.json', 'json', () => JSON.stringify(buildPostman({ version }), null, 2));
  return assets;
}

function send(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  reply
    .header('Content-Security-Policy', POLICY)
    .header('Referrer-Policy', 'no-referrer')
    .header('X-Content-Type-Options', 'nosniff')
    .header('Cache-Control', 'public, max-age=60')
    .header('Vary', 'Accept-Encoding')
    .type(asset.type);
  const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  if (!takesGzip || asset.type === TYPES.png) return reply.send(request.method === 'HEAD' ? '' : asset.bytes);
  asset.zipped ??= gzipSync(asset.bytes);
  return reply.header('Content-Encoding', 'gzip').send(request.method === 'HEAD' ? '' : asset.zipped);
}
