import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { openTestHttp, type TestHttp } from '../../../test/http.ts';

const SCRIPT = 'export const word = "grove";'.repeat(100);
const INLINE = 'self.early = 1;';
const PAGE = `<!doctype html><script src="/web/assets/app-1.js"></script><script type="module" async>${INLINE}</script>`;

describe('the pages of the end user', () => {
  const outer = mkdtempSync(join(tmpdir(), 'grove-web-'));
  const folder = join(outer, 'dist');
  let http: TestHttp;
  let empty: TestHttp;

  before(async () => {
    mkdirSync(join(folder, 'assets'), { recursive: true });
    writeFileSync(join(outer, 'secret.txt'), 'secret');
    writeFileSync(join(folder, 'index.html'), PAGE);
    writeFileSync(join(folder, 'manifest.json'), '{}');
    writeFileSync(join(folder, 'icon.svg'), '<svg/>');
    writeFileSync(join(folder, 'assets/app-1.js'), SCRIPT);
    writeFileSync(join(folder, 'assets/app-1.js.br'), brotliCompressSync(SCRIPT));
    writeFileSync(join(folder, 'assets/app-1.js.gz'), gzipSync(SCRIPT));
    symlinkSync(join(outer, 'secret.txt'), join(folder, 'assets/link.txt'));
    http = await openTestHttp({ webFolder: folder });
    empty = await openTestHttp({ webFolder: join(outer, 'nothing'), genuine: true });
  });
  after(async () => {
    await http.stop();
    await empty.stop();
    rmSync(outer, { recursive: true, force: true });
  });

  it('every address of the app serves the page, with a policy that allows only the inline code of its build', async () => {
    for (const path of ['/web/', '/web/?pi=1', '/web/accessibility', '/web/camera-check']) {
      const { status, text, headers } = await http.call(path);
      assert.deepEqual([status, text], [200, PAGE], path);
      const policy = headers.get('content-security-policy') ?? '';
      const hash = createHash('sha256').update(INLINE).digest('base64');
      const [first, scripts] = policy.split('; ');
      assert.deepEqual(
        [first, scripts],
        ["default-src 'none'", `script-src 'self' 'sha256-${hash}' 'wasm-unsafe-eval'`],
      );
      assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval'(?<!wasm-unsafe-eval')|\*/);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.match(headers.get('permissions-policy') ?? '', /camera=\(self\).*microphone=\(\)/);
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('cache-control'), 'no-cache');
    }
  });

  it('the preview page may be framed by its own origin and by no other', async () => {
    const { status, headers } = await http.call('/web/preview?embed=https://evil.example');
    assert.equal(status, 200);
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'self'(;|$)/);
  });

  it('the address of the page without the trailing slash redirects to the page and keeps its query', async () => {
    const { status, headers } = await http.call('/web?pt=1&lang=de');
    assert.deepEqual([status, headers.get('location')], [308, '/web/?pt=1&lang=de']);
  });

  it('a page that the browser has cached is not sent again', async () => {
    const { headers } = await http.call('/web/');
    const again = await http.call('/web/', { headers: { 'If-None-Match': headers.get('etag') ?? '' } });
    assert.deepEqual([again.status, again.text], [304, '']);
  });

  it('files of the pages are compressed as the browser accepts, and cached for good', async () => {
    const get = (accepted: string) => raw(http.baseUrl, '/web/assets/app-1.js', { 'Accept-Encoding': accepted });
    for (const [accepted, encoding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['identity', undefined],
    ] as const) {
      const { headers, bytes } = await get(accepted);
      assert.equal(headers['content-encoding'], encoding, accepted);
      assert.equal(Number(headers['content-length']), bytes);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
      assert.equal(headers.vary, 'Accept-Encoding');
    }
    assert.equal((await http.call('/web/assets/app-1.js')).text, SCRIPT);
    assert.equal((await http.call('/web/icon.svg')).headers.get('cache-control'), 'public, max-age=3600');
  });

  it('HEAD answers like GET without the body', async () => {
    const { status, text, headers } = await http.call('/web/assets/app-1.js', { method: 'HEAD' });
    assert.deepEqual([status, text, headers.get('content-type')], [200, '', 'text/javascript; charset=utf-8']);
    assert.equal((await http.call('/web/', { method: 'HEAD' })).status, 200);
  });

  it('100003: no path leaves the folder of the pages, and files for the server alone have no address', async () => {
    for (const path of [
      '/web/../secret.txt',
      '/web/..%2fsecret.txt',
      '/web/%2e%2e/secret.txt',
      '/web/assets/..%2f..%2fsecret.txt',
      '/web/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
      '/web//secret.txt',
      '/web/..\\secret.txt',
      '/web/assets',
      '/web/assets/app-1.js.br',
      '/web/manifest.json',
      '/web/index.html',
      '/web/assets/link.txt',
      '/web/nothing',
      '/web/assets/app-1.js%00',
      '/web/__proto__',
      `/web/${'a/'.repeat(200)}`,
    ]) {
      const { status, body } = await raw(http.baseUrl, path);
      assert.deepEqual([status, JSON.parse(body).code], [404, 100003], path);
    }
  });

  it('files of the pages that are built later are served', async () => {
    assert.equal((await raw(http.baseUrl, '/web/assets/app-2.js')).status, 404);
    writeFileSync(join(folder, 'assets/app-2.js'), 'late');
    const deadline = Date.now() + 10_000;
    for (;;) {
      if ((await raw(http.baseUrl, '/web/assets/app-2.js')).status === 200) break;
      assert.ok(Date.now() < deadline, 'a new file is never found');
    }
  });

  it('100135: a server whose pages are not built answers with that problem', async () => {
    const { status, body, headers } = await empty.call('/web/');
    assert.deepEqual([status, body.code], [503, 100135]);
    assert.ok(Number(headers.get('retry-after')) > 0);
  });
});

/** Uses no client that normalises the path or decompresses the body. */
function raw(
  baseUrl: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Record<string, unknown>; bytes: number; body: string }> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((done, fail) => {
    const outgoing = request({ hostname, port, path, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => {
        const all = Buffer.concat(parts);
        done({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: all.length, body: all.toString() });
      });
    });
    outgoing.on('error', fail);
    outgoing.end();
  });
}
