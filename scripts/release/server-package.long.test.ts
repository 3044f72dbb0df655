import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { buildPages, buildServer } from './build-server.ts';
import { installPackages, makeDataFolder, ORDINARY_USER, thisPlatform } from './install-packages.ts';
import { packSdkOnce } from './pack-sdk-once.ts';
import { manifestOf, pack, ROOT } from './packages.ts';

/**
 * Tests the packages as they are installed: from tarballs, in an empty project, by an ordinary user. Vision and Node are left
 * out, which saves 250 MB; RELEASE_TEST=full installs them, too, and starts with the Node of the system.
 */
const isFull = process.env.RELEASE_TEST === 'full';
const platform = thisPlatform();
const skip = platform === undefined && 'no package is made for this platform';
const MAX_MB = isFull ? 450 : 150;
const folders: string[] = [];
let installed = { folder: '', grove: '' };
let server: ChildProcess | undefined;
let ready: { baseUrl: string; testApiKey: string; demoUrl: string; version: string };

before(async () => {
  if (!platform) return;
  const work = mkdtempSync(join(tmpdir(), 'grove-release-'));
  folders.push(work);
  buildPages();
  await buildServer(join(work, 'server'), platform);
  const tarballs = [await packSdkOnce(), pack(join(work, 'server'), work)];
  installed = installPackages(tarballs, ...(isFull ? [] : ['--omit=optional']));
  for (const path of globSync('node_modules/grove-idv-*', { cwd: installed.folder })) {
    chmodSync(join(installed.folder, path), 0o555);
  }
  const data = makeDataFolder();
  folders.push(installed.folder, data);
  const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent', GROVE_DATA: data, PORT: '0' };
  const command: [string, string[]] = isFull
    ? [installed.grove, ['start', '--json']]
    : [process.execPath, [installed.grove, 'start', '--json']];
  server = spawn(...command, { ...ORDINARY_USER, cwd: '/', env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: server.stdout as NodeJS.ReadableStream }), 'line');
  ready = JSON.parse(line);
});

after(() => {
  server?.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

test('an installed server starts for an ordinary user from any folder, and reports the version of the release', {
  skip,
}, async () => {
  const health = (await (await fetch(`${ready.baseUrl}/health/ready`)).json()) as { status: string };
  assert.equal(health.status, 'ready');
  assert.equal(ready.version, manifestOf('.').version);
});

test('the pages of the journey, the console and the documentation are in the package', { skip }, async () => {
  const console = `${ready.baseUrl}/console/`;
  for (const address of [
    ready.demoUrl,
    console,
    `${ready.baseUrl}/openapi.json`,
    `${ready.baseUrl}/docs/reference/viewer.js`,
    ...[
      '',
      'results',
      'cli',
      'style.css',
      'search.js',
      'minisearch.js',
      'search.json',
      'files/deploy/caddy/Caddyfile',
    ].map((name) => `${ready.baseUrl}/docs/${name}`),
  ]) {
    const answer = await fetch(address);
    assert.equal(answer.status, 200, address);
    assert.ok((await answer.text()).length > 500, address);
  }
});

test('an address for traces without the packages of OpenTelemetry is reported as a configuration error at the start', {
  skip: skip || (isFull && 'the packages are installed'),
}, () => {
  const env = { PATH: '/usr/bin:/bin', GROVE_DATA: folders.at(-1), HOME: '/nonexistent', PORT: '0' };
  const traced = { ...env, GROVE_OTLP_URL: 'http://127.0.0.1:4318/v1/traces', GROVE_DATA: makeDataFolder() };
  folders.unshift(traced.GROVE_DATA);
  const args = [installed.grove, 'start', '--no-demo'];
  const { status, stderr } = spawnSync(process.execPath, args, {
    ...ORDINARY_USER,
    cwd: '/',
    env: traced,
    encoding: 'utf8',
  });
  assert.equal(status, 2, stderr);
  assert.match(stderr, /GROVE_OTLP_URL is set, but the packages of OpenTelemetry are not installed/);
});

test('an installed server decodes images behind a filter of system calls, as in the repository', { skip }, () => {
  const env = { PATH: '/usr/bin:/bin', GROVE_DATA: folders.at(-1), HOME: '/nonexistent' };
  const args = [installed.grove, 'doctor', '--json'];
  const { stdout } = spawnSync(process.execPath, args, { ...ORDINARY_USER, cwd: '/', env, encoding: 'utf8' });
  const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; message: string }[] };
  const decoder = checks.find(({ name }) => name === 'decoder');
  assert.equal(decoder?.state, 'ok', decoder?.message);
});

test('the example of the README runs with the installed SDK against the installed server', { skip }, async () => {
  cpSync(join(ROOT, 'examples/verify.ts'), join(installed.folder, 'verify.ts'));
  const env = { GROVE_URL: ready.baseUrl, GROVE_API_KEY: ready.testApiKey };
  const printed = execFileSync(process.execPath, ['verify.ts'], { cwd: installed.folder, env, encoding: 'utf8' });
  assert.match(printed, /the outcome is COMPLETED_ENDED_SUCCESS \(Accepted\)/);
});

test('the installation has no development packages, no install scripts, and the promised size', {
  skip,
}, () => {
  const lock = JSON.parse(readFileSync(join(installed.folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const scripts = Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  assert.deepEqual(scripts, []);
  for (const name of ['vite', 'typescript', 'playwright-core', '@scalar/types', 'onnxruntime-web']) {
    assert.equal(`node_modules/${name}` in lock.packages, false, name);
  }
  const bytes = globSync('**/*', { cwd: installed.folder }).reduce(
    (sum, path) => sum + statSync(join(installed.folder, path)).size,
    0,
  );
  assert.ok(bytes <= MAX_MB * 1e6, `${Math.round(bytes / 1e6)} MB`);
});

test('an installed server stops on SIGTERM with exit code 0', { skip }, async () => {
  const ended = once(server as ChildProcess, 'exit');
  server?.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});
