import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { VARIABLES } from '../../packages/server/src/config-variables.ts';
import { manifestOf, ROOT } from '../release/packages.ts';

/** Runs the files of deploy/, as far as the machine has the programs. */
const read = (path: string) => readFileSync(join(ROOT, 'deploy', path), 'utf8');
const missing = (program: string, ...args: string[]) =>
  spawnSync(program, args).error ? `${program} is not installed` : false;
const MAX_EXPOSURE = 2.0;

test('systemd rates the exposure of the unit at 2.0 or less', {
  skip: missing('systemd-analyze', '--version'),
}, () => {
  const unit = join(ROOT, 'deploy/systemd/grove@.service');
  const printed = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', unit], {
    encoding: 'utf8',
  });
  const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(printed) ?? [];
  assert.ok(Number(exposure) <= MAX_EXPOSURE, `${exposure}`);
});

type Environment = Record<string, string>;
type Kubernetes = { kind: string; data?: Environment; spec?: { template?: { spec: { containers: Container[] } } } };
type Container = { image: string; env: { name: string }[]; securityContext: Record<string, unknown> };

test('the compose file, the manifests and the unit set only variables that exist, and name the version of this release', () => {
  const compose = parse(read('compose/compose.yaml'), { merge: true }) as {
    services: Record<string, { image: string; environment: Environment; read_only: boolean }>;
  };
  const manifests = parseAllDocuments(read('kubernetes/grove.yaml')).map((each) => each.toJS() as Kubernetes);
  const [container] = manifests.find(({ kind }) => kind === 'Deployment')?.spec?.template?.spec.containers ?? [];
  const one = compose.services['grove-1'];
  assert.ok(container && one);
  const settings = manifests.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};
  const unit = [...read('systemd/grove@.service').matchAll(/\b(GROVE_[A-Z_]+)=/g)].map(([, name]) => name as string);
  const names = [
    ...Object.keys(one.environment),
    ...Object.keys(settings),
    ...container.env.map(({ name }) => name),
    ...unit,
  ];
  assert.deepEqual(
    names.filter((name) => !(name in VARIABLES)),
    [],
  );
  const { version } = manifestOf('.');
  for (const image of [one.image, container.image])
    assert.match(image, new RegExp(`:${version.replaceAll('.', '\\.')}$`));
  assert.equal(one.read_only, true);
  assert.equal(container.securityContext.readOnlyRootFilesystem, true);
  assert.deepEqual(manifests.map(({ kind }) => kind).sort(), [
    'ConfigMap',
    'Deployment',
    'HorizontalPodAutoscaler',
    'Namespace',
    'NetworkPolicy',
    'PodDisruptionBudget',
    'Service',
  ]);
});

const noProxy = missing('nginx', '-v') && missing('caddy', 'version');
const noNginx = missing('nginx', '-v') || missing('openssl', 'version');
const noCaddy = missing('caddy', 'version') || missing('openssl', 'version');
const ended: ChildProcess[] = [];
let folder = '';
let ready: { port: number; testApiKey: string };

before(async () => {
  if (noProxy) return;
  folder = mkdtempSync(join(tmpdir(), 'grove-proxies-'));
  const subject = [
    '-subj',
    '/CN=id.example.com',
    '-keyout',
    `${folder}/privkey.pem`,
    '-out',
    `${folder}/fullchain.pem`,
  ];
  execFileSync('openssl', ['req', '-x509', '-nodes', '-newkey', 'rsa:2048', '-days', '1', ...subject], {
    stdio: 'ignore',
  });
  const settings = {
    PORT: '0',
    GROVE_DATA: join(folder, 'data'),
    GROVE_DOMAIN: 'id.example.com',
    GROVE_TRUST_PROXY: '127.0.0.1',
  };
  const server = spawn(process.execPath, [join(ROOT, 'packages/cli/bin/grove'), 'start', '--demo', '--json'], {
    env: { PATH: process.env.PATH, GROVE_VISION: 'off', ...settings },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  ended.push(server);
  const [line] = await once(createInterface({ input: server.stdout }), 'line');
  ready = JSON.parse(line);
});

after(async () => {
  for (const child of ended) child.kill('SIGTERM');
  await Promise.all(ended.map((child) => child.exitCode ?? once(child, 'exit')));
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** The example with the addresses of this test instead of those of an installation. */
function adapted(path: string, port: number): string {
  return read(path)
    .replaceAll('/etc/grove/tls', folder)
    .replace('127.0.0.1:8080', `127.0.0.1:${ready.port}`)
    .replace('127.0.0.1:8081', `127.0.0.1:${ready.port}`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('admin off', `admin off\n\thttps_port ${port}\n\tauto_https disable_redirects`);
}

type Answer = { status: number; text: string; hsts: string | undefined };

const MAX_TRIES = 100;

/** Sends a request with the host name of the tenant, and repeats it until the proxy listens. */
async function ask(
  port: number,
  path: string,
  options: { method?: string; headers?: Record<string, string> } = {},
  tries = 0,
): Promise<Answer> {
  const host = 'demo.fir.id.example.com';
  try {
    return await new Promise((done, failed) => {
      const headers = { Host: host, ...options.headers };
      const outgoing = request(
        { host: '127.0.0.1', port, path, servername: host, rejectUnauthorized: false, ...options, headers },
        (answer) => {
          let text = '';
          answer.on('data', (bytes) => {
            text += bytes;
          });
          answer.on('end', () =>
            done({ status: answer.statusCode ?? 0, text, hsts: answer.headers['strict-transport-security'] }),
          );
        },
      );
      outgoing.on('error', failed).end();
    });
  } catch (error) {
    if (tries >= MAX_TRIES) throw error;
    await new Promise((resume) => setTimeout(resume, 100));
    return ask(port, path, options, tries + 1);
  }
}

async function checkThrough(port: number): Promise<void> {
  const health = await ask(port, '/health/ready');
  assert.deepEqual([health.status, JSON.parse(health.text).status], [200, 'ready']);
  assert.equal(health.hsts, 'max-age=31536000; includeSubDomains');
  const issued = await ask(port, '/api/arthr/apiKeys/issue', {
    method: 'POST',
    headers: { 'X-Api-Key': ready.testApiKey },
  });
  assert.equal(issued.status, 200, issued.text);
  assert.match(issued.text, /"token"/);
  assert.equal((await ask(port, '/metrics')).status, 404);
}

test('a caller reaches the tenant over TLS through the nginx example', { skip: noNginx }, async () => {
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  const logs = `pid ${folder}/nginx.pid; error_log ${folder}/error.log; daemon off; events {}`;
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(file, `${logs}\nhttp {\naccess_log off; ${paths.join(' ')}\n${adapted('nginx/grove.conf', port)}}\n`);
  const checked = spawnSync('nginx', ['-t', '-c', file], { encoding: 'utf8' });
  assert.equal(checked.status, 0, checked.stderr);
  ended.push(spawn('nginx', ['-c', file], { stdio: 'ignore' }));
  await checkThrough(port);
});

test('a caller reaches the tenant over TLS through the Caddy example', { skip: noCaddy }, async () => {
  const port = await freePort();
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, adapted('caddy/Caddyfile', port));
  const env = { PATH: process.env.PATH, HOME: folder };
  const checked = spawnSync('caddy', ['validate', '--adapter', 'caddyfile', '--config', file], {
    encoding: 'utf8',
    env,
  });
  assert.equal(checked.status, 0, checked.stderr);
  ended.push(spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], { stdio: 'ignore', env }));
  await checkThrough(port);
});
