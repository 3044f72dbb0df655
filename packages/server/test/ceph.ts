import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sha256, signRequest } from '../src/engines/blobs/sign-request.ts';
import { freePort } from './free-port.ts';

/**
 * A bucket of another project: the object gateway of Ceph, on a cluster of one monitor and one store in memory. On
 * Debian it only needs `apt-get install --no-install-recommends ceph-mon ceph-osd radosgw`; nothing has to be running.
 */
export type Ceph = {
  readonly endpoint: string;
  readonly key: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Ends the gateway and keeps the stored objects; `startGateway` starts it again. */
  killGateway(): Promise<void>;
  startGateway(): Promise<void>;
  stop(): Promise<void>;
};

const PROGRAMS = ['ceph-mon', 'ceph-osd', 'ceph', 'monmaptool', 'radosgw', 'radosgw-admin'];
const KEY = { accessKeyId: 'AKTEST', secretAccessKey: 'a-secret-of-a-test' };
const ANSWERS_WITHIN_MS = 60_000;
const STORE_BYTES = 2 ** 28;

const run = promisify(execFile);

export function missingForCeph(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return PROGRAMS.filter((program) => !folders.some((folder) => existsSync(join(folder, program))));
}

/** The S3 place of a bucket that does not exist yet. */
type Bucket = { endpoint: string; region: string; accessKeyId: string; secretAccessKey: string };

/** The endpoint ends with the name of the bucket. */
export async function createBucket({ endpoint, region, accessKeyId, secretAccessKey }: Bucket): Promise<void> {
  const { host, pathname } = new URL(endpoint);
  const payloadHash = sha256('');
  const unsigned = { method: 'PUT', host, path: pathname, payloadHash };
  const signed = { ...unsigned, headers: { 'x-amz-content-sha256': payloadHash } };
  const { headers } = signRequest(signed, { accessKeyId, secretAccessKey, region, service: 's3' }, Date.now());
  const answer = await fetch(endpoint, { method: 'PUT', headers });
  if (!answer.ok) throw new Error(await answer.text());
}

export async function startCeph(): Promise<Ceph> {
  const folder = mkdtempSync(join(tmpdir(), 'grove-ceph-'));
  const processes: ChildProcess[] = [];
  const stop = async () => {
    await Promise.all(processes.map(untilEnd));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const { endpoint, launchGateway } = await launch(folder, processes);
    return {
      endpoint,
      key: KEY,
      stop,
      async killGateway() {
        const gateway = processes.pop();
        if (gateway) await untilEnd(gateway);
      },
      async startGateway() {
        launchGateway();
        await untilAnswers(endpoint);
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function launch(folder: string, processes: ChildProcess[]) {
  const [second, first, web] = [await freePort(), await freePort(), await freePort()];
  const fsid = randomUUID();
  const monitor = `[v2:127.0.0.1:${second},v1:127.0.0.1:${first}]`;
  const conf = join(folder, 'ceph.conf');
  for (const name of ['mon', 'osd']) mkdirSync(join(folder, name));
  writeFileSync(conf, configuration({ folder, fsid, monitor, web }));
  const options = { env: { ...process.env, CEPH_CONF: conf }, timeout: ANSWERS_WITHIN_MS };
  const start = (program: string, ...args: string[]) => {
    const child = spawn(program, [...args, '-f'], { env: options.env, stdio: 'ignore' });
    child.on('error', () => undefined);
    // A test that dies must not leave the processes behind.
    process.once('exit', () => child.kill('SIGKILL'));
    processes.push(child);
  };

  const map = join(folder, 'monmap');
  await run('monmaptool', ['--create', '--addv', 'a', monitor, '--fsid', fsid, map], options);
  await run('ceph-mon', ['--mkfs', '-i', 'a', '--monmap', map, '--keyring', '/dev/null'], options);
  start('ceph-mon', '-i', 'a');
  const store = randomUUID();
  await run('ceph', ['osd', 'new', store], options);
  await run('ceph-osd', ['-i', '0', '--mkfs', '--osd-uuid', store], options);
  start('ceph-osd', '-i', '0');
  const gateway = ['-n', 'client.rgw', '--no-mon-config'];
  const launchGateway = () => start('radosgw', ...gateway);
  launchGateway();
  const endpoint = `http://127.0.0.1:${web}`;
  await untilAnswers(endpoint);
  const user = ['--uid', 'grove', '--display-name', 'grove'];
  const keys = ['--access-key', KEY.accessKeyId, '--secret-key', KEY.secretAccessKey];
  await run('radosgw-admin', ['user', 'create', ...user, ...keys, ...gateway], options);
  return { endpoint, launchGateway };
}

type Cluster = { folder: string; fsid: string; monitor: string; web: number };

/**
 * Without authentication the gateway still requires an encrypted connection to the monitor, unless each mode is `crc`.
 */
function configuration({ folder, fsid, monitor, web }: Cluster): string {
  const modes = ['cluster', 'service', 'client', 'mon cluster', 'mon service', 'mon client'];
  return [
    '[global]',
    `fsid = ${fsid}`,
    `mon host = ${monitor}`,
    'mon initial members = a',
    'mon allow pool size one = true',
    ...['cluster', 'service', 'client'].map((side) => `auth ${side} required = none`),
    ...modes.map((mode) => `ms ${mode} mode = crc`),
    ...['size', 'min size', 'pg num', 'pgp num'].map((number) => `osd pool default ${number} = 1`),
    'osd pool default pg autoscale mode = off',
    'osd crush chooseleaf type = 0',
    'osd objectstore = memstore',
    `memstore device bytes = ${STORE_BYTES}`,
    'public addr = 127.0.0.1',
    'cluster addr = 127.0.0.1',
    `run dir = ${folder}`,
    `crash dir = ${folder}`,
    `log file = ${folder}/$name.log`,
    'admin socket =',
    'pid file =',
    '[mon.a]',
    `mon data = ${folder}/mon`,
    '[osd.0]',
    `osd data = ${folder}/osd`,
    '[client.rgw]',
    `rgw frontends = beast endpoint=127.0.0.1:${web}`,
    `rgw data = ${folder}`,
    '',
  ].join('\n');
}

async function untilAnswers(endpoint: string): Promise<void> {
  for (const until = Date.now() + ANSWERS_WITHIN_MS; ; await wait(100)) {
    if (
      await fetch(endpoint).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    if (Date.now() > until) throw new Error('the object gateway of Ceph does not answer');
  }
}

function untilEnd(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return done();
    child.once('close', () => done());
    child.kill('SIGKILL');
  });
}
