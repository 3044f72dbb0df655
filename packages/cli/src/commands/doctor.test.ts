import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import {
  atTerminal,
  type Environment,
  grove,
  groveJson,
  NO_TERMINAL,
  startGrove,
  temporaryFolder,
} from '../../test/grove.ts';

type Check = { name: string; state: string; message: string; remedy?: string };

async function doctor(
  env: Environment,
): Promise<{ code: number | null; state: string; checks: Check[]; faults: Check[] }> {
  const { code, stdout } = await grove(['doctor', '--json'], env);
  const { state, checks } = JSON.parse(stdout) as { state: string; checks: Check[] };
  return { code, state, checks, faults: checks.filter((check) => check.state === 'fault') };
}

async function installation(t: TestContext): Promise<string> {
  const folder = temporaryFolder(t);
  await groveJson(['tenant', 'create', 'acme'], { GROVE_DATA: folder });
  return folder;
}

const snapshot = (folder: string) =>
  readdirSync(folder)
    .sort()
    .map((name) => [name, statSync(`${folder}/${name}`).mtimeMs, readFileSync(`${folder}/${name}`).toString('base64')]);

/** Tests may run as root, of which doctor warns. */
const HEALTHY = process.getuid?.() === 0 ? 'warning' : 'ok';

test('doctor finds no fault on a healthy folder, running or stopped, and changes nothing', async (t) => {
  const folder = await installation(t);
  const before = snapshot(folder);
  const stopped = await doctor({ GROVE_DATA: folder });
  assert.deepEqual([stopped.code, stopped.state], [0, HEALTHY], JSON.stringify(stopped.checks));
  assert.deepEqual(snapshot(folder), before);
  const server = await startGrove(t, { GROVE_DATA: folder });
  const running = await doctor({ GROVE_DATA: folder, PORT: String(server.ready.port) });
  assert.deepEqual([running.code, running.state], [0, HEALTHY], JSON.stringify(running.checks));
  assert.match(running.checks.at(-1)?.message ?? '', /held by a Grove server that is ready/);
});

test('doctor prints colours at a terminal, and none elsewhere or with NO_COLOR', { skip: NO_TERMINAL }, async (t) => {
  const env = { GROVE_DATA: temporaryFolder(t) };
  const [plain, terminal, refused] = await Promise.all([
    grove(['doctor'], env),
    atTerminal(['doctor'], env),
    atTerminal(['doctor'], { ...env, NO_COLOR: '1' }),
  ]);
  assert.match(plain.stdout, /^ok {7}node/);
  assert.equal(terminal.stdout.startsWith('\u001b[32mok'), true);
  assert.match(refused.stdout, /^ok {7}node/);
});

test('doctor before the first start warns, exits with 0 and makes nothing', async (t) => {
  const folder = `${temporaryFolder(t)}/none`;
  const { code, state } = await doctor({ GROVE_DATA: folder });
  assert.deepEqual([code, state], [0, 'warning']);
  assert.equal(existsSync(folder), false);
});

test('doctor reports every fault of the configuration', async () => {
  const { code, faults } = await doctor({ PORT: 'x', GROVE_REGIN: 'fir' });
  assert.equal(code, 1);
  assert.equal(faults.length, 2);
});

test('doctor reports a master key that others may read', async (t) => {
  const folder = await installation(t);
  chmodSync(`${folder}/master.key`, 0o644);
  const { code, faults } = await doctor({ GROVE_DATA: folder });
  assert.equal(code, 1);
  assert.deepEqual(
    faults.map(({ name, remedy }) => [name, remedy?.startsWith('chmod 600')]),
    [['master key', true]],
  );
});

test('doctor reports a missing, broken or wrong master key if there is sealed data', async (t) => {
  const folder = await installation(t);
  rmSync(`${folder}/master.key`);
  const missing = await doctor({ GROVE_DATA: folder });
  assert.equal(missing.code, 1);
  assert.match(missing.faults[0]?.message ?? '', /is missing, and the database holds data that it sealed/);
  for (const [text, words] of [
    ['nonsense', /must hold/],
    [`1:${Buffer.alloc(32, 7).toString('base64')}`, /does not open 3 of 3/],
  ] as const) {
    writeFileSync(`${folder}/master.key`, text, { mode: 0o600 });
    const { code, faults } = await doctor({ GROVE_DATA: folder });
    assert.equal(code, 1);
    assert.match(faults[0]?.message ?? '', words);
  }
});

test('doctor reports a damaged database, and a file that is not a database', async (t) => {
  const folder = await installation(t);
  const file = `${folder}/grove.sqlite`;
  const whole = readFileSync(file);
  for (const bytes of [
    Buffer.concat([whole.subarray(0, 8192), Buffer.alloc(whole.length - 8192, 7)]),
    Buffer.from('no database'),
  ]) {
    writeFileSync(file, bytes);
    const { code, faults } = await doctor({ GROVE_DATA: folder });
    assert.equal(code, 1);
    assert.equal(faults[0]?.name, 'database');
    assert.match(faults[0]?.remedy ?? '', /grove restore/);
  }
});

test('doctor reports a database of a newer release', async (t) => {
  const folder = await installation(t);
  const database = new DatabaseSync(`${folder}/grove.sqlite`);
  database.exec(`INSERT INTO schema_migrations VALUES (9999, '9999_future.sql', 'x', 0)`);
  database.close();
  const { code, faults } = await doctor({ GROVE_DATA: folder });
  assert.equal(code, 1);
  assert.match(faults[0]?.message ?? '', /newer release/);
});

test('doctor reports a port that another program uses', async (t) => {
  const holder = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi')).listen(
    0,
    'localhost',
  );
  t.after(() => holder.close());
  await new Promise((done) => holder.once('listening', done));
  const { port } = holder.address() as AddressInfo;
  const { code, faults } = await doctor({ GROVE_DATA: await installation(t), PORT: String(port) });
  assert.equal(code, 1);
  assert.match(faults[0]?.message ?? '', /held by another program/);
});
