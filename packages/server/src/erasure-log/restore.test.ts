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
} from '../../test/harness.ts';
import { unprepared } from '../db/db.ts';
import { SHARDS } from '../engines/blobs/blobs.ts';
import { asTenantId, newId } from '../kernel/ids.ts';

const TENANT = asTenantId('acme');
const DAY = 86_400_000;

/** A copy of the database as it is, and the place where a server finds it later. Nobody has it open. */
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

async function newInstances(grove: TestApp, count: number, parameters: object = {}): Promise<string[]> {
  const body = JSON.stringify({ name: 'restored', processDefnName: 'document-only', parameters });
  const { body: token } = await grove.call('/api/process-manager/processTokens', { method: 'POST', body });
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    const path = `/api/process-manager/processInstances/create?pt=${token.id}`;
    const { body: instance } = await grove.call(path, { method: 'POST' });
    await grove.app.db
      .of(TENANT)
      .write((tx) => grove.app.vault.sealerFor(tx, `instance:${instance.processInstanceId}`));
    ids.push(instance.processInstanceId);
  }
  return ids;
}

const INSTANCES = '/api/process-manager/processInstances';
const statusOf = async (grove: TestApp, id: string) =>
  (await grove.call(`/api/process-manager/processInstances/${id}`)).status;
const KEYS = unprepared(`SELECT subject FROM data_keys WHERE tenant_id = $1 AND subject LIKE 'instance:%'`);
const keysOf = async ({ app }: TestApp) =>
  (await app.db.of(TENANT).all<{ subject: string }>(KEYS, [TENANT])).map(({ subject }) => subject.slice(9)).sort();

const STORES = '/api/identity-store/stores';
const USERS = `${STORES}/people/users`;
const LISTS = '/api/watchlist-manager/facewatchlists';
const SUBJECTS = unprepared(`SELECT subject FROM data_keys WHERE tenant_id = $1
  AND (subject LIKE 'user:%' OR subject LIKE 'watchlist:%')`);
const UNWRITTEN = unprepared('SELECT id FROM unwritten_erasures WHERE tenant_id = $1');

async function create(grove: TestApp, path: string, body: object): Promise<{ id: string }> {
  const answer = await grove.call(path, { method: 'POST', body: JSON.stringify(body) });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** Waits until every erasure is recorded outside of the database. */
async function waitForLog({ app }: TestApp): Promise<void> {
  for (let tries = 0; ; tries++) {
    const left = await app.db.of(TENANT).all(UNWRITTEN, [TENANT]);
    if (left.length === 0) return;
    assert.ok(tries < 600, `${left.length} are not written down`);
    await wait(50);
  }
}

async function erased(grove: TestApp, id: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const { body } = await grove.call(`/api/process-manager/erasures/${id}`);
    if (body.state === 'ERASED') return;
    assert.ok(tries < 600, `${id} is not erased: ${JSON.stringify(body)}`);
    await wait(50);
  }
}

/** The server is stopped even if the work fails: nobody may have the database open while it is copied. */
async function served<T>(place: TestPlace, clock: TestClock, work: (grove: TestApp) => Promise<T>): Promise<T> {
  const grove = await openTestApp(place, { clock });
  try {
    return await work(grove);
  } finally {
    await grove.stop();
  }
}

onBothEngines('a restored backup', (_engine, places) => {
  it('a restored backup contains nobody who was erased after it was made, and everybody else', async (t) => {
    const place = await places.create();
    const clock = testClock();
    const ids = await served(place, clock, (grove) => newInstances(grove, 3));
    const [first = '', alsoGone = '', third = ''] = ids;
    const { restored, drop } = await backUp(place, places);
    t.after(drop);

    await served(place, clock, async (grove) => {
      clock.advance(20 * DAY);
      for (const id of [first, alsoGone]) {
        const { status } = await grove.call(`/api/process-manager/processInstances/${id}`, { method: 'DELETE' });
        assert.equal(status, 200);
        await erased(grove, id);
      }
    });

    clock.advance(5 * DAY);
    await served(restored, clock, async (grove) => {
      assert.deepEqual(await Promise.all(ids.map((id) => statusOf(grove, id))), [404, 404, 200]);
      assert.deepEqual(await keysOf(grove), [third]);
      await erased(grove, first);
    });
  });

  it('a restored backup contains no personal data that was redacted after it was made, also of a journey that was under way', async (t) => {
    const place = await places.create();
    const clock = testClock();
    const cancel = async (grove: TestApp, id: string) =>
      assert.equal((await grove.call(`${INSTANCES}/${id}/cancel`, { method: 'POST', body: '{}' })).status, 200);
    const {
      ended: endedId,
      underWay,
      kept: keptId,
    } = await served(place, clock, async (grove) => {
      const [endedId = '', underWay = '', keptId = ''] = await newInstances(grove, 3, { firstName: 'Ada' });
      await cancel(grove, endedId);
      return { ended: endedId, underWay, kept: keptId };
    });
    const { restored, drop } = await backUp(place, places);
    t.after(drop);

    await served(place, clock, async (grove) => {
      await cancel(grove, underWay);
      for (const id of [endedId, underWay]) {
        const { status } = await grove.call(`${INSTANCES}/${id}/redact`, { method: 'POST', body: '{}' });
        assert.equal(status, 200);
        await erased(grove, id);
      }
    });

    await served(restored, clock, async (grove) => {
      const views = await Promise.all(
        [endedId, underWay, keptId].map(async (id) => (await grove.call(`${INSTANCES}/${id}`)).body),
      );
      assert.deepEqual(
        views.map(({ status, firstName, redactedDtm }) => [status, firstName, redactedDtm !== undefined]),
        [
          ['COMPLETED_TERMINATED', undefined, true],
          ['COMPLETED_TERMINATED', undefined, true],
          ['PENDING', 'Ada', false],
        ],
      );
      assert.deepEqual(await keysOf(grove), [keptId]);
      await erased(grove, underWay);
      const audited = await grove.call('/api/process-manager/auditEvents?action=instance.redacted');
      assert.deepEqual(
        audited.body.content.map(({ actor }: { actor: string }) => actor),
        ['Erasure before a restore', 'Erasure before a restore'],
      );
    });
  });

  it('a restored backup loses nobody by a forged entry of the list: the server does not start unless it is forced to', async () => {
    const place = await places.create();
    const clock = testClock();
    const { kept: keptId, blobFolder } = await served(place, clock, async (grove) => ({
      kept: (await newInstances(grove, 1))[0] as string,
      blobFolder: grove.config.blobFolder,
    }));
    const shard = SHARDS[Math.floor(clock.now() / DAY) % SHARDS.length] as string;
    const key = newId(clock.now()).slice(0, -2) + shard;
    const folder = join(blobFolder, 'erased', shard, key.slice(-4, -2));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, key), JSON.stringify({ tenantId: TENANT, instanceIds: [keptId] }));
    await assert.rejects(openTestApp(place, { clock }), /1 entry of the list of what was erased cannot be read/);
    const forced = await openTestApp(place, { clock, force: true });
    try {
      assert.equal(await statusOf(forced, keptId), 200);
      assert.match(forced.logged(), /could not look for erasures after a backup/);
    } finally {
      await forced.stop();
    }
    // The entry is checked again: one forced start does not drop it.
    await assert.rejects(openTestApp(place, { clock }), /cannot be read/);
    rmSync(join(folder, key));
    await served(place, clock, async (grove) => assert.equal(await statusOf(grove, keptId), 200));
  });

  it('a restored backup contains no user, watchlist or member that was erased, and all others', async (t) => {
    const place = await places.create();
    const clock = testClock();
    const { stays, goes, shrinks, ends } = await served(place, clock, async (grove) => {
      await create(grove, STORES, { name: 'people' });
      const userOf = async (extId: string) =>
        `${USERS}/${(await create(grove, USERS, { extId, attributes: { colour: 'red' } })).id}`;
      const listOf = async (name: string) => `${LISTS}/${(await create(grove, LISTS, { name, type: 'EMAIL' })).id}`;
      const memberOf = async (list: string, value: string) =>
        `${list}/watchlist-members/${(await create(grove, `${list}/watchlist-members`, { value })).id}`;
      const [shrinking, whole] = [await listOf('kept'), await listOf('whole')];
      const shrinks = await memberOf(shrinking, 'ends@example.com');
      return {
        stays: [await userOf('stays'), shrinking, await memberOf(shrinking, 'stays@example.com')],
        shrinks,
        goes: [await userOf('goes'), await userOf('goes too'), await memberOf(shrinking, 'goes@example.com'), whole],
        ends: await memberOf(whole, 'with-its-list@example.com'),
      };
    });
    const { restored, drop } = await backUp(place, places);
    t.after(drop);

    await served(place, clock, async (grove) => {
      // Its end was set after the backup, so the backup does not contain it.
      const end = { method: 'POST', body: JSON.stringify({ expireAfter: 'PT1H' }) };
      assert.equal((await grove.call(shrinks, end)).status, 200);
      clock.advance(3 * DAY);
      for (const path of goes)
        assert.equal((await grove.call(path, { method: 'DELETE', token: await grove.token() })).status, 204, path);
      await grove.app.jobs.tend();
      clock.advance(DAY / 24);
      await grove.app.jobs.runDue();
      await waitForLog(grove);
    });

    clock.advance(5 * DAY);
    await served(restored, clock, async (grove) => {
      const status = async (path: string) => (await grove.call(path)).status;
      assert.deepEqual(await Promise.all([...goes, shrinks, ends].map(status)), [404, 404, 404, 404, 404, 404]);
      assert.deepEqual(await Promise.all(stays.map(status)), [200, 200, 200]);
      assert.equal((await grove.call(stays[1] as string)).body.numMembers, 1);
      assert.equal((await grove.call(USERS)).body.totalElements, 1);
      const subjects = (await grove.app.db.of(TENANT).all<{ subject: string }>(SUBJECTS, [TENANT])).length;
      assert.equal(subjects, 2, 'the keys of the user and of the list that stay');
      const audited = await grove.call('/api/process-manager/auditEvents?action=watchlist.deleted');
      assert.equal(audited.body.content[0].actor, 'Erasure before a restore');
    });
  });
});
