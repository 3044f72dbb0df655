import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ROOT } from '../release/packages.ts';

/**
 * An empty Debian with systemd, PostgreSQL and nginx, booted in namespaces of its own. It changes nothing on this machine and
 * cannot reach anything outside.
 */
export type Machine = {
  /** Its first process, for processes that join its network. */
  readonly leader: number;
  /** Runs commands in the shell of root, as if somebody typed them. Fails with their output. */
  run(commands: string, options?: { input?: string }): Promise<string>;
  /** Returns the path on this machine of a path inside. */
  path(inside: string): string;
  stop(): Promise<void>;
};

const PACKAGES = [
  'systemd',
  'systemd-sysv',
  'dbus',
  'util-linux',
  'procps',
  'passwd',
  'openssl',
  'curl',
  'ca-certificates',
  'postgresql',
  'nginx-light',
  'prometheus',
  'libstdc++6',
  'bash-completion',
];
const PROGRAMS = ['mmdebstrap', 'systemd-nspawn', 'nsenter', 'cp'];
const BOOT_WITHIN_MS = 90_000;
const COMMANDS_WITHIN_MS = 300_000;
const LOOK_MS = 200;
const MARK = '=== the commands have ended with';

/** The reason why the machine cannot be started here. */
export function missingForMachine(): string | false {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs Linux and root';
  const missing = PROGRAMS.filter((program) => spawnSync(program, ['--version']).error);
  return missing.length > 0 && `it needs ${missing.join(', ')} (Debian: mmdebstrap, systemd-container)`;
}

export async function startMachine(): Promise<Machine> {
  const base = makeBase();
  const folder = mkdtempSync(join(tmpdir(), 'grove-machine-'));
  const root = join(folder, 'root');
  execFileSync('cp', ['-a', '--reflink=auto', base, root]);
  addNode(root);
  const log = openSync(join(folder, 'boot.log'), 'w');
  const options = ['--boot', '--quiet', '--private-network', '--register=no', '--keep-unit', '--machine=grove-drill'];
  const nspawn = spawn('systemd-nspawn', ['-D', root, ...options], { stdio: ['ignore', log, log] });
  const end = async () => {
    nspawn.kill('SIGTERM');
    if (nspawn.exitCode === null && nspawn.signalCode === null) await once(nspawn, 'exit');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const leader = await leaderOf(nspawn, join(folder, 'boot.log'));
    const shell = openShell(leader, root);
    await shell.run('until systemctl is-system-running | grep -qE "running|degraded"; do sleep 0.2; done');
    return {
      leader,
      run: shell.run,
      path: (inside) => join(root, inside),
      stop: async () => {
        shell.close();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Makes the base once and stores it: it takes a minute, and stays the same until the list of packages changes. */
function makeBase(): string {
  const name = createHash('sha256').update(PACKAGES.join()).digest('hex').slice(0, 12);
  const base = join(ROOT, 'build', `machine-${name}`);
  if (existsSync(base)) return base;
  mkdirSync(join(ROOT, 'build'), { recursive: true });
  const partial = `${base}.partial`;
  rmSync(partial, { recursive: true, force: true });
  const sources = existsSync('/etc/apt/sources.list') ? ['/etc/apt/sources.list'] : [];
  const args = ['--variant=apt', `--include=${PACKAGES.join(',')}`, 'bookworm', partial, ...sources];
  execFileSync('mmdebstrap', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  // Monitoring is only used to test rules, and there is no terminal for a login.
  for (const unit of ['prometheus.service', 'prometheus-node-exporter.service', 'console-getty.service']) {
    execFileSync('systemctl', [`--root=${partial}`, 'mask', unit], { stdio: 'ignore' });
  }
  execFileSync('mv', [partial, base]);
  return base;
}

/** Installs the oldest Node of this machine that Grove supports, and its npm. */
function addNode(root: string): void {
  const path = (process.env.PATH ?? '').split(':').map((each) => resolve(each));
  const nodes = path.map((each) => join(each, 'node')).filter((each) => existsSync(each));
  const majorOf = (node: string) => Number(/\d+/.exec(execFileSync(node, ['--version'], { encoding: 'utf8' }))?.[0]);
  const [node = process.execPath] = nodes.filter((each) => majorOf(each) >= 20).sort((a, b) => majorOf(a) - majorOf(b));
  const npm = path.map((each) => join(each, 'npm')).find((each) => existsSync(each));
  if (!npm) throw new Error('npm is not in PATH');
  cpSync(realpathSync(node), join(root, 'usr/local/bin/node'));
  const home = dirname(dirname(realpathSync(npm)));
  cpSync(home, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  execFileSync('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm')]);
}

async function leaderOf(nspawn: ChildProcess, log: string): Promise<number> {
  const deadline = Date.now() + BOOT_WITHIN_MS;
  while (Date.now() < deadline && nspawn.exitCode === null) {
    const children = readFileSync(`/proc/${nspawn.pid}/task/${nspawn.pid}/children`, 'utf8').trim().split(' ');
    const leader = children.map(Number).find((pid) => pid > 0 && commandOf(pid) === 'systemd');
    if (leader) return leader;
    await wait(LOOK_MS);
  }
  throw new Error(`The machine did not boot: ${readFileSync(log, 'utf8').slice(-2000)}`);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

function openShell(leader: number, root: string) {
  const environment = [
    'HOME=/root',
    'LANG=C.UTF-8',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  ];
  const inside = ['-t', String(leader), '--mount', '--uts', '--ipc', '--net', '--pid', '--root', '--wd'];
  const bash = spawn('nsenter', [...inside, 'env', '-i', ...environment, 'setsid', 'bash'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  let tell = () => {};
  for (const stream of [bash.stdout, bash.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      tell();
    });
  }
  bash.on('exit', () => tell());
  // A failing command is recorded and does not end the shell, as in an interactive shell.
  bash.stdin.write("set -E; trap 'FAILED=$?' ERR\n");
  async function run(commands: string, { input = '' } = {}): Promise<string> {
    printed = '';
    writeFileSync(join(root, 'root/.commands'), commands);
    writeFileSync(join(root, 'root/.input'), input);
    bash.stdin.write(`FAILED=0; . /root/.commands < /root/.input; echo; echo "${MARK} $FAILED"\n`);
    const deadline = Date.now() + COMMANDS_WITHIN_MS;
    for (;;) {
      const [, status] = new RegExp(`^${MARK} (\\d+)$`, 'm').exec(printed) ?? [];
      const text = printed.replace(new RegExp(`^${MARK}.*$`, 'm'), '').trim();
      if (status === '0') return text;
      const reason = bash.exitCode !== null ? 'the shell ended' : Date.now() > deadline ? 'ran out of time' : status;
      if (reason !== undefined) throw new Error(`${commands}\nfailed (${reason}):\n${text.slice(-4000)}`);
      await new Promise<void>((done) => {
        const late = setTimeout(done, deadline - Date.now());
        tell = () => {
          clearTimeout(late);
          done();
        };
      });
    }
  }
  return { run, close: () => bash.kill('SIGKILL') };
}
