import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openFolder } from '../../../server/src/engines/blobs/folder.ts';
import { newId } from '../../../server/src/kernel/ids.ts';
import { CRASH_ROUNDS, CRASH_TIMEOUT_MS, chance } from '../../../server/test/crash-rounds.ts';
import { openTestApp, type TestPlace, testPlaces } from '../../../server/test/harness.ts';
import { COMMAND, environmentOf, grove, groveJson, keysSeenBy, startGrove } from '../../test/grove.ts';

/**
 * Kills long commands while they work. The same command must be able to finish the work, and unfinished data must never
 * be taken for complete.
 */
const IMAGES = 300;
const POLL_MS = 2;
const MOVE_WITHIN_MS = 150;
type Environment = Record<string, string | undefined>;

describe('a long command that is killed', { timeout: CRASH_TIMEOUT_MS }, () => {
  const places = testPlaces('sqlite');
  const postgres = testPlaces('postgres');
  let place: TestPlace;
  let env: Environment;
  let apiKey: string;
  const left: string[] = [];

  const folder = (name: string) => {
    const path = `${place.folder}-${name}`;
    left.push(path);
    return path;
  };

  before(async () => {
    place = await places.create();
    env = { ...place.environment };
    const app = await openTestApp(place);
    apiKey = app.apiKey;
    const { id } = await app.client.processTokens.create({ body: { name: 'One', processDefnName: 'document-only' } });
    const instanceId = (await app.client.processInstances.create({ query: { pt: id } })).processInstanceId;
    await app.stop();
    const blobs = openFolder(join(place.folder, 'blobs'));
    const database = new DatabaseSync(`${place.folder}/grove.sqlite`);
    const insert = database.prepare(`INSERT INTO instance_images (tenant_id, instance_id, step, attempt, name, blob_key,
      content_type, bytes, sha256, created_at) VALUES ('acme', ?, 'document', 1, ?, ?, 'image/jpeg', 7, 'x', 1)`);
    for (let at = 0; at < IMAGES; at++) {
      const key = newId(Date.now() - at);
      await blobs.put(key, Buffer.from(`sealed ${key}`));
      insert.run(instanceId, key, key);
    }
    database.close();
  });
  after(() => {
    for (const path of left) rmSync(path, { recursive: true, force: true });
  });

  it('a killed backup does not count as one, the next one is complete, and --keep removes its leftovers', async () => {
    const target = folder('backups');
    const args = ['backup', target, '--images'];
    const images = join(target, 'images');
    const isKilled = await killedAmong(CRASH_ROUNDS, () => {
      rmSync(images, { recursive: true, force: true });
      return killWhen(args, env, () => blobsIn(images));
    });
    assert.ok(isKilled, 'no backup was killed in the middle');
    assert.match((await grove(['backup', 'verify', target], env)).stderr, /There is no backup in/);
    assert.match((await grove(['restore', target, '--force'], env)).stderr, /There is no backup in/);
    for (let round = 0; round < 2; round++) await groveJson([...args, '--keep', '1'], env);
    assert.equal((await grove(['backup', 'verify', target], env)).code, 0);
    assert.deepEqual(
      readdirSync(target)
        .map((name) => name.replace(/^.*Z\./, ''))
        .sort(),
      ['images', 'manifest', 'sqlite'],
    );
  });

  it('a killed restore leaves no database without its images, and the next restore completes it', async (t) => {
    const source = folder('whole');
    await groveJson(['backup', source, '--images'], env);
    const data = folder('restored');
    const restoring = { GROVE_DATA: data };
    const args = ['restore', source, '--force'];
    const isKilled = await killedAmong(CRASH_ROUNDS, async () => {
      rmSync(data, { recursive: true, force: true });
      mkdirSync(data);
      cpSync(`${place.folder}/master.key`, `${data}/master.key`);
      const killed = await killWhen(args, restoring, () => blobsIn(join(data, 'blobs')));
      if (blobsIn(join(data, 'blobs')) < IMAGES) assert.ok(!existsSync(`${data}/grove.sqlite`));
      return killed;
    });
    assert.ok(isKilled, 'no restore was killed in the middle');
    await groveJson(args, restoring);
    assert.equal(blobsIn(join(data, 'blobs')), IMAGES);
    const server = await startGrove(t, restoring);
    assert.equal((await keysSeenBy(server.url, apiKey)).length, 1);
    await server.stop();
  });

  it('after a killed move no server starts on the unfinished database, and the same command continues', async (t) => {
    const data = folder('moving');
    cpSync(place.folder, data, { recursive: true });
    const url = (await postgres.createEmpty()).environment.DATABASE_URL as string;
    const moving = { GROVE_DATA: data };
    const args = ['move', '--to', url];
    const target = new pg.Client({ connectionString: url });
    await target.connect();
    const hasBegun = async () =>
      (await target.query("SELECT to_regclass('grove_move') AS state")).rows[0].state !== null;
    const isKilled = await killedAmong(CRASH_ROUNDS, () => killOnce(args, moving, hasBegun));
    await target.end();
    assert.ok(isKilled, 'no move was killed in the middle');
    const onTarget = { ...moving, DATABASE_URL: url };
    assert.match((await grove(['start', '--yes'], onTarget)).stderr, /move/);
    await groveJson(args, moving);
    const server = await startGrove(t, onTarget, '--yes');
    assert.equal((await keysSeenBy(server.url, apiKey)).length, 1);
    await server.stop();
  });
});

function blobsIn(path: string): number {
  if (!existsSync(path)) return 0;
  return (readdirSync(path, { recursive: true }) as string[]).filter((name) => /\/[0-9A-Z]{26}$/.test(name)).length;
}

/** Whether at least one of the rounds killed its command in the middle. */
async function killedAmong(rounds: number, round: () => Promise<boolean>): Promise<boolean> {
  let killed = 0;
  for (let at = 0; at < rounds || (killed === 0 && at < rounds + 5); at++) killed += (await round()) ? 1 : 0;
  return killed > 0;
}

function launch(args: readonly string[], env: Environment) {
  const child = spawn(process.execPath, [COMMAND, ...args], { env: environmentOf(env), stdio: 'ignore' });
  return { child, end: once(child, 'exit') };
}

/** Kills the command after it has stored some of its images. */
async function killWhen(args: readonly string[], env: Environment, images: () => number): Promise<boolean> {
  const { child, end } = launch(args, env);
  const wanted = 1 + Math.floor(chance() * (IMAGES - 20));
  while (child.exitCode === null && images() < wanted) await sleep(POLL_MS);
  child.kill('SIGKILL');
  await end;
  return child.signalCode === 'SIGKILL';
}

/** Kills the command shortly after its first write. */
async function killOnce(args: readonly string[], env: Environment, hasBegun: () => Promise<boolean>): Promise<boolean> {
  const { child, end } = launch(args, env);
  while (child.exitCode === null && !(await hasBegun())) await sleep(POLL_MS);
  await Promise.race([sleep(chance() * MOVE_WITHIN_MS), end]);
  child.kill('SIGKILL');
  await end;
  return child.signalCode === 'SIGKILL';
}
