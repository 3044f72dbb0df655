import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type PageFile, pageHeaders } from '@grove/server';
import { type ReadFolder, readPageFolder } from './read-page-folder.ts';
import { TESTER_CSS, TESTER_HTML, TESTER_JS } from './tester-view.ts';

/**
 * A server for one custom page on its author's machine: it checks the folder like an upload, and shows the page in the
 * sandbox and with the policy of a journey.
 */
export type Tester = { readonly url: string; stop(): Promise<void> };

const PAGE = '/pages/page/';
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const VIEW: Readonly<Record<string, { type: string; text: string }>> = {
  '/': { type: 'text/html', text: TESTER_HTML },
  '/tester.css': { type: 'text/css', text: TESTER_CSS },
  '/tester.js': { type: 'text/javascript', text: TESTER_JS },
};

export async function startTester({ folder, port }: { folder: string; port: number }): Promise<Tester> {
  const server = createServer((request, response) => {
    answer(folder, request, response).catch((error: Error) => {
      send(response, 500, 'text/plain', error.message);
    });
  });
  await new Promise<void>((ready, failed) => {
    server.once('error', failed);
    server.listen(port, 'localhost', ready);
  });
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function answer(
  folder: string,
  { url = '/', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const host = headers.host ?? '';
  // Rejects unknown Host headers (DNS rebinding).
  if (!/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host)) return send(response, 421, 'text/plain', 'Not here');
  const path = url.split('?', 1)[0] ?? '';
  const view = Object.hasOwn(VIEW, path) ? VIEW[path] : undefined;
  if (view) return send(response, 200, view.type, view.text, { 'content-security-policy': POLICY });
  if (path === '/state') {
    return send(response, 200, 'application/json', JSON.stringify(stateOf(await readPageFolder(folder))));
  }
  const name = path.startsWith(PAGE) ? path.slice(PAGE.length) || 'index.html' : undefined;
  const { files } = name === undefined ? { files: [] } : await readPageFolder(folder);
  const file = (files as readonly PageFile[]).find((each) => each.path === name);
  if (!file) return send(response, 404, 'text/plain', 'There is no such file');
  send(response, 200, file.contentType, file.content, pageHeaders({ host, folder: PAGE, ancestors: "'self'" }));
}

/** The state that the tester's page polls: whether the folder is valid, and whether it has changed. */
function stateOf({ files, fault }: ReadFolder) {
  const content = fault ? fault.message : files.map(({ path, sha256 }) => `${path} ${sha256}`).join('\n');
  return {
    version: createHash('sha256').update(content).digest('hex').slice(0, 16),
    files: files.length,
    bytes: files.reduce((sum, file) => sum + file.content.length, 0),
    ...(fault && { fault: fault.message }),
  };
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): void {
  const own = { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  response.writeHead(status, { ...headers, ...own }).end(body);
}
