import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildEmbed } from './build-embed.ts';
import { buildSdk } from './build-sdk.ts';
import { buildPages, buildServer } from './build-server.ts';
import { installPackages, ORDINARY_USER, thisPlatform } from './install-packages.ts';
import { EMBED_NAME, pack, ROOT, SDK_NAME, SERVER_NAME } from './packages.ts';

/**
 * `npm run release:check` checks the promises of a release that take too long for the suite. It installs the server with
 * `npm install --global`, makes it read-only, starts it as an ordinary user from an empty folder in a network namespace without
 * a way out, and calls it with the SDK under every runtime. Prints a table; exits with 1 if a line of it fails.
 */
const RUNTIMES: readonly { name: string; install: string; run(bin: string): [string, string[]] }[] = [
  ...['20', '22', '24'].map((major) => ({
    name: `Node ${major}`,
    install: `node-linux-${process.arch}@${major}`,
    run: (folder: string): [string, string[]] => [join(folder, `node_modules/node-linux-${process.arch}/bin/node`), []],
  })),
  {
    name: 'Deno',
    // The package deno requires binaries of its own version, which a registry may not have yet.
    install: `@deno/linux-${process.arch}-glibc`,
    run: (folder) => [
      binaryIn(folder, '@deno/linux-*-glibc/deno'),
      ['run', '--allow-net', '--allow-read', '--allow-env'],
    ],
  },
  { name: 'Bun', install: 'bun', run: (folder) => [binaryIn(folder, '@oven/bun-linux-*/bin/bun'), ['run']] },
];
const MAX_MB = { all: 450, small: 150 };
const READY_WITHIN_MS = 120_000;

/** A script with ESM and plain fetch, which is all that the SDK needs from a runtime. */
const SCRIPT = `import { createClient, verifyWebhook } from '${SDK_NAME}';
const { GROVE_URL: baseUrl, GROVE_API_KEY: apiKey } = globalThis.Deno ? Deno.env.toObject() : process.env;
const grove = createClient({ baseUrl, apiKey });
const names = [];
for await (const definition of grove.processDefinitions.list.all({ query: { size: 1 } })) names.push(definition.name);
const token = await grove.processTokens.create({ body: { name: 'check ' + crypto.randomUUID(), processDefnName: 'document-only' } });
const { processInstanceId } = await grove.processInstances.create({ query: { pt: token.id }, body: { parameters: { firstName: 'Ada' } } });
const { status } = await grove.processInstances.get({ processInstanceId });
const refused = await verifyWebhook({ payload: '{}', headers: new Headers(), secret: 'whsec_' + btoa('x'.repeat(32)) }).catch(() => 'refused');
const fault = await grove.processInstances.get({ processInstanceId: 'nobody' }).catch((error) => error.status ?? error.name);
console.log(names.length, status, refused, fault);
`;

const platform = thisPlatform();
if (!platform || process.getuid?.() !== 0) {
  process.stderr.write('This check needs root on Linux, x64 or arm64\n');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'grove-release-check-'));
chmodSync(folder, 0o755);
const children: ChildProcess[] = [];
let isBroken = false;

try {
  buildPages();
  await buildSdk(join(folder, 'sdk'));
  await buildEmbed(join(folder, 'embed'));
  await buildServer(join(folder, 'server'), platform);
  const tarballs = { sdk: packed('sdk'), embed: packed('embed'), server: packed('server') };
  lint(tarballs.sdk, SDK_NAME);
  lint(tarballs.embed, EMBED_NAME, '--profile', 'esm-only', '--exclude-entrypoints', 'script.js');
  report(`publint ${SERVER_NAME}`, () => publint(tarballs.server));
  report('installed with --omit=optional', () => {
    const small = installPackages([tarballs.server], '--omit=optional');
    const size = ensureSize(small.folder, MAX_MB.small);
    rmSync(small.folder, { recursive: true, force: true });
    return size;
  });
  const grove = installGlobally(tarballs.server);
  const ready = await startOffline(grove);
  for (const runtime of RUNTIMES) report(`SDK under ${runtime.name}`, () => callWith(runtime, tarballs.sdk, ready));
} finally {
  for (const child of children) {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = isBroken ? 1 : 0;

function packed(name: string): string {
  return pack(join(folder, name), folder);
}

function report(name: string, check: () => string): void {
  try {
    console.log(`| ${name} | ok | ${check()} |`);
  } catch (error) {
    isBroken = true;
    console.log(`| ${name} | FAILED | ${(error as Error).message.slice(0, 600)} |`);
  }
}

function run(command: string, args: readonly string[], options: object = {}): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error ?? ''}${stdout}${stderr}`);
  return stdout.trim();
}

function publint(tarball: string): string {
  run(process.execPath, [join(ROOT, 'node_modules/.bin/publint'), '--strict', tarball]);
  return 'clean';
}

function lint(tarball: string, name: string, ...options: string[]): void {
  report(`publint ${name}`, () => publint(tarball));
  report(`arethetypeswrong ${name}`, () => {
    run(process.execPath, [join(ROOT, 'node_modules/.bin/attw'), tarball, '--no-color', '--no-emoji', ...options]);
    return 'clean';
  });
}

function ensureSize(home: string, most: number): string {
  const bytes = globSync('**/*', { cwd: home }).reduce((sum, path) => sum + statSync(join(home, path)).size, 0);
  const megabytes = Math.round(bytes / 1e6);
  if (megabytes > most) throw new Error(`${megabytes} MB, and ${most} are promised`);
  return `${megabytes} MB (at most ${most})`;
}

function installGlobally(tarball: string): string {
  const prefix = join(folder, 'prefix');
  report('npm install --global', () => {
    const options = ['--prefix', prefix, '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
    run('npm', ['install', '--global', ...options, tarball]);
    run('chmod', ['-R', 'a-w,a+rX', prefix]);
    return ensureSize(prefix, MAX_MB.all);
  });
  return join(prefix, 'bin/grove');
}

type Ready = { baseUrl: string; testApiKey: string; demoUrl: string; pid: number };

/** `unshare` gives the server a network with no other machine; `setpriv` drops the rights of root. */
async function startOffline(grove: string): Promise<Ready> {
  const home = join(folder, 'home');
  mkdirSync(home);
  const { uid = 65534, gid = 65534 } = ORDINARY_USER;
  chownSync(home, uid, gid);
  const user = [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--no-new-privs',
    grove,
    'start',
    '--json',
  ];
  const script = `ip link set lo up && exec ${user.join(' ')}`;
  // An ordinary PATH: whichever Node the system has starts the one that was installed.
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME: home, PORT: '0' };
  const server = spawn('unshare', ['--net', 'sh', '-c', script], {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(server);
  const late = AbortSignal.timeout(READY_WITHIN_MS);
  const [line] = (await once(createInterface({ input: server.stdout }), 'line', { signal: late })) as [string];
  const ready = { ...JSON.parse(line), pid: server.pid } as Ready;
  report('grove start as an ordinary user, offline, from an empty folder', () => {
    for (const [path, word] of Object.entries({
      '/docs/': 'Grove',
      '/console/': '<script',
      '/health/ready': '"ready"',
    })) {
      const answer = run('nsenter', [...network(ready), 'curl', '--silent', '--fail', `${ready.baseUrl}${path}`]);
      if (!answer.includes(word)) throw new Error(`${path} answers ${answer.slice(0, 200)}`);
    }
    if (!existsSync(join(home, 'data/grove.sqlite'))) throw new Error('there is no data folder');
    return `pages, documentation and data in ./data, with ${run('/usr/bin/env', ['node', '--version'], { env })} of the system`;
  });
  return ready;
}

function network({ pid }: Ready): string[] {
  return [`--net=/proc/${pid}/ns/net`];
}

function binaryIn(home: string, pattern: string): string {
  const [program] = globSync(`node_modules/${pattern}`, { cwd: home });
  if (!program) throw new Error(`no ${pattern} is installed`);
  chmodSync(join(home, program), 0o755);
  return join(home, program);
}

function callWith({ install, run: commandOf }: (typeof RUNTIMES)[number], sdk: string, ready: Ready): string {
  const project = mkdtempSync(join(folder, 'project-'));
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }');
  writeFileSync(join(project, 'call.js'), SCRIPT);
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', sdk, install], {
    cwd: project,
  });
  const [program, args] = commandOf(project);
  const env = { PATH: process.env.PATH, HOME: project, GROVE_URL: ready.baseUrl, GROVE_API_KEY: ready.testApiKey };
  const printed = run('nsenter', [...network(ready), program, ...args, join(project, 'call.js')], {
    cwd: project,
    env,
  });
  if (!/^[2-9] \w+ refused \S+$/.test(printed)) throw new Error(printed);
  const version = execFileSync(program, ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? '';
  rmSync(project, { recursive: true, force: true });
  return version.trim();
}
