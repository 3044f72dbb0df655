import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import {
  onBothEngines,
  openTestApp,
  type Places,
  type TestApp,
  type TestClock,
  type TestPlace,
  testClock,
} from '../../../test/harness.ts';
import { unprepared } from '../../db/db.ts';
import { SHARDS } from '../../engines/blobs/blobs.ts';
import { asTenantId, newId } from '../../kernel/ids.ts';

const TENANT = asTenantId('acme');
const DAY = 86_400_000;

/** A copy of the database as it is, and the place where a server finds it instead. Nobody has it open. */
async function backUp(place: TestPlace, places: Places): Promise<{ restored: TestPlace; drop(): Promise<unknown> }> {
  if (place.engine === 'sqlite') {
    const copy = join(place.folder, 'copy');
    mkdirSync(copy);
    const files = readdirSync(place.folder, { withFileTypes: true }).filter((each) => each.isFile());
    for (const { name } of files) cpSync(join(place.folder, name), join(copy, name));
    const environment = { GROVE_DATA: copy, BLOB_URL: pathToFileURL(join(place.folder, 'blobs')).href };
    return { restored: { ...place, environment }, drop: async () => rmSync(copy, { recursive: true }) };
  }
  const url = new URL(place.environment.DATABASE_URL as string);
  const name = `restored_${newId(0).toLowerCase()}`;
  const { adminUrl } = await places.postgres();
  const admin = async (statement: string) => {
    const client = new pg.Client({ connectionString: adminUrl });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await admin(`CREATE DATABASE "${name}" TEMPLATE "${url.pathname.slice(1)}" OWNER "${url.username}"`);
  url.pathname = `/${name}`;
  const environment = { ...place.environment, DATABASE_URL: url.href };
  return { restored: { ...place, environment }, drop: () => admin(`DROP DATABASE "${name}" WITH (FORCE)`) };
}

async function newInstances(grove: TestApp, count: number): Promise<string[]> {
  const body = JSON.stringify({ name: 'restored', processDefnName: 'document-only' });
  const { body: token } = await grove.call('/api/process-manager/processTokens', { method: 'POST', body });
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    const path = `/api/process-manager/processInstances/create?pt=${token.id}`;
    const { body: made } = await grove.call(path, { method: 'POST' });
    await grove.app.db.of(TENANT).write((tx) => grove.app.vault.sealerFor(tx, `instance:${made.processInstanceId}`));
    ids.push(made.processInstanceId);
  }
  return ids;
}

const statusOf = async (grove: TestApp, id: string) =>
  (await grove.call(`/api/process-manager/processInstances/${id}`)).status;
const KEYS = unprepared(`SELECT subject FROM data_keys WHERE tenant_id = $1 AND subject LIKE 'instance:%'`);
const keysOf = async ({ app }: TestApp) =>
  (await app.db.of(TENANT).all<{ subject: string }>(KEYS, [TENANT])).map(({ subject }) => subject.slice(9)).sort();

async function erased(grove: TestApp, id: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const { body } = await grove.call(`/api/process-manager/erasures/${id}`);
    if (body.state === 'ERASED') return;
    assert.ok(tries < 600, `${id} is not erased: ${JSON.stringify(body)}`);
    await wait(50);
  }
}

/** Whatever is found out, the server is stopped: nobody may have the database open while it is copied. */
async function served<T>(place: TestPlace, clock: TestClock, work: (grove: TestApp) => Promise<T>): Promise<T> {
  const grove = await openTestApp(place, { clock });
  try {
    return await work(grove);
  } finally {
    await grove.stop();
  }
}

onBothEngines('a backup that is put in place', (_engine, places) => {
  it('brings back nobody who was erased after it was made, and keeps everybody else', async (t) => {
    const place = await places.create();
    const clock = testClock();
    const ids = await served(place, clock, (grove) => newInstances(grove, 3));
    const [gone = '', alsoGone = '', kept = ''] = ids;
    const { restored, drop } = await backUp(place, places);
    t.after(drop);

    await served(place, clock, async (grove) => {
      clock.advance(20 * DAY);
      for (const id of [gone, alsoGone]) {
        const { status } = await grove.call(`/api/process-manager/processInstances/${id}`, { method: 'DELETE' });
        assert.equal(status, 200);
        await erased(grove, id);
      }
    });

    clock.advance(5 * DAY);
    await served(restored, clock, async (grove) => {
      assert.deepEqual(await Promise.all(ids.map((id) => statusOf(grove, id))), [404, 404, 200]);
      assert.deepEqual(await keysOf(grove), [kept]);
      await erased(grove, gone);
    });
  });

  it('has nobody deleted by an entry that is not ours', async () => {
    const place = await places.create();
    const clock = testClock();
    const { kept, blobFolder } = await served(place, clock, async (grove) => ({
      kept: (await newInstances(grove, 1))[0] as string,
      blobFolder: grove.config.blobFolder,
    }));
    const shard = SHARDS[Math.floor(clock.now() / DAY) % SHARDS.length] as string;
    const key = newId(clock.now()).slice(0, -2) + shard;
    const folder = join(blobFolder, 'erased', shard, key.slice(-4, -2));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, key), JSON.stringify({ tenantId: TENANT, instanceIds: [kept] }));
    await served(place, clock, async (grove) => {
      assert.equal(await statusOf(grove, kept), 200);
      assert.match(grove.logged(), /an entry of the list of erased instances cannot be read/);
    });
  });
});
