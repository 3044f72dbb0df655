import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { createClient } from 'grove-idv-sdk';
import { databasesIn, startPostgres, type TestDatabase } from '../../packages/server/test/postgres.ts';
import { buildPages } from './build-server.ts';
import { thisPlatform } from './install-packages.ts';
import { ROOT } from './packages.ts';
import { buildPrevious, missingPrevious, PREVIOUS } from './previous-release.ts';

/** Tests the previous release and this one on one PostgreSQL, with one master key and one image store, as in an upgrade. */
type Ready = { baseUrl: string; testApiKey: string | null; version: string };
type Server = { child: ChildProcess; ready: Ready };

const platform = thisPlatform();
const skip = missingPrevious() || (platform === undefined && 'no package is made for this platform');
const folders: string[] = [];
const servers: ChildProcess[] = [];
const stops: (() => Promise<void>)[] = [];
let old: Server;
let present: Server;
let testApiKey = '';

before(async () => {
  if (skip || !platform) return;
  buildPages();
  const previous = buildPrevious(platform);
  const data = mkdtempSync(join(tmpdir(), 'grove-rolling-'));
  folders.push(previous.folder, data);
  const database = await makeDatabase();
  old = await start(previous.grove, data, database.url, '--yes');
  testApiKey = old.ready.testApiKey ?? '';
  present = await start(join(ROOT, 'packages/cli/bin/grove'), data, database.url, '--yes');
});

after(async () => {
  for (const child of servers) child.kill('SIGTERM');
  await Promise.all(servers.map((child) => child.exitCode ?? once(child, 'exit')));
  for (const stop of stops) await stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function makeDatabase(): Promise<TestDatabase> {
  const shared = process.env.TEST_POSTGRES;
  const databases = shared ? databasesIn(shared) : await startPostgres();
  if ('stop' in databases) stops.push((databases as { stop(): Promise<void> }).stop);
  const database = await databases.createDatabase();
  stops.unshift(() => database.drop());
  return database;
}

async function start(grove: string, data: string, url: string, ...options: string[]): Promise<Server> {
  const env = { PATH: process.env.PATH, PORT: '0', GROVE_DATA: data, DATABASE_URL: url, GROVE_VISION: 'off' };
  const child = spawn(process.execPath, [grove, 'start', '--json', '--demo', ...options], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  servers.push(child);
  const ended = once(child, 'exit').then(() => assert.fail(`${grove} ended before it was ready`));
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])) as [string];
  ended.catch(() => undefined);
  return { child, ready: JSON.parse(line) };
}

/** A whole verification in the sandbox against one server. */
function verify({ ready }: Server): void {
  const env = { PATH: process.env.PATH, GROVE_URL: ready.baseUrl, GROVE_API_KEY: testApiKey };
  const printed = execFileSync(process.execPath, [join(ROOT, 'examples/verify.ts')], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  });
  assert.match(printed, /the outcome is COMPLETED_ENDED_SUCCESS/);
}

test(`release ${PREVIOUS.version} still works after this release has migrated its database`, { skip }, () => {
  assert.equal(old.ready.version, PREVIOUS.version);
  verify(old);
  verify(present);
});

test('the previous release and this one read, use and delete what the other has written', { skip }, async () => {
  const [left, right] = [old, present].map(({ ready }) => createClient({ baseUrl: ready.baseUrl, apiKey: testApiKey }));
  assert.ok(left && right);
  for (const [name, writer, reader] of [
    ['by the old', left, right],
    ['by the new', right, left],
  ] as const) {
    const token = await writer.processTokens.create({
      body: { name, processDefnName: 'document-and-selfie' },
    });
    const body = { parameters: { firstName: 'Ada', lastName: 'Byrne' } };
    const { processInstanceId } = await reader.processInstances.create({ query: { pt: token.id }, body });
    assert.equal((await writer.processInstances.get({ processInstanceId })).id, processInstanceId);
    await writer.processInstances.delete({ processInstanceId });
    await assert.rejects(reader.processInstances.get({ processInstanceId }), /404|does not exist|not found/i);
  }
});
