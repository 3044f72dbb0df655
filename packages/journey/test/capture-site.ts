import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { oncePerRun } from '../../../scripts/once-per-run.ts';

/** The views of the camera, built and served like the journey: only our own files, under its policy. */
export type CaptureSite = {
  readonly folder: string;
  address(query?: Record<string, unknown>): string;
  close(): Promise<void>;
};

const HOME = fileURLToPath(new URL('..', import.meta.url));
const PAGE = 'test/capture-page/index.html';

const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "worker-src 'self'",
].join('; ');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
  '.bin': 'application/octet-stream',
  '.svg': 'image/svg+xml',
};

/** The folder is deleted with that of the run, or with the process. */
async function buildSite(): Promise<string> {
  const { build } = await import('vite');
  const folder = mkdtempSync(join(tmpdir(), 'grove-capture-site-'));
  if (!process.env.TEST_SHARED) process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await build({
    configFile: join(HOME, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true, rolldownOptions: { input: join(HOME, PAGE) } },
  });
  return folder;
}

export async function openCaptureSite(): Promise<CaptureSite> {
  const folder = mkdtempSync(join(tmpdir(), 'grove-capture-'));
  const site = await oncePerRun('capture-site', buildSite);
  const server = createServer((request, answer) => {
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname).replace(/^\/web\//, '');
    const file = join(site, path);
    if (!existsSync(file) || statSync(file).isDirectory()) return answer.writeHead(404).end();
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    answer.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': POLICY });
    createReadStream(file).pipe(answer);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    folder,
    address(query = {}) {
      const texts = Object.entries(query).map(([key, value]): [string, string] => [
        key,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]);
      return `http://localhost:${port}/web/${PAGE}?${new URLSearchParams(texts)}`;
    },
    close: () => new Promise((done) => server.close(() => done())),
  };
}
