import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, type Children, testChildren } from '../../../test/child.ts';
import { CRASH_ROUNDS, CRASH_TIMEOUT_MS, chance } from '../../../test/crash-rounds.ts';
import { onBothEngines, openTestApp, type TestApp, type TestPlace } from '../../../test/harness.ts';
import { unzip } from '../../../test/unzip.ts';
import { readConfig } from '../../config.ts';
import { type TenantDb, unprepared } from '../../db/db.ts';
import { openDb } from '../../db/open.ts';
import { openBlobs } from '../../engines/blobs/open.ts';
import { systemClock } from '../../kernel/clock.ts';
import { asTenantId, newId } from '../../kernel/ids.ts';
import { saveImages } from '../images/images.repository.ts';
import { imageContext } from '../images/read-image.ts';

/** Servers that are killed while they delete, redact or send an archive. */
const ROUNDS = CRASH_ROUNDS;
/** If no kill came in the middle, more rounds follow, up to this number. */
const MOST_ROUNDS = ROUNDS + 10;
const INSTANCES = 24;
const IMAGES = 2;
const SEEDED_AT_ONCE = 8;
const TENANT = asTenantId('acme');
const GONE_WITHIN_MS = 60_000;
/** About as long as some deletions take. */
const KILL_WITHIN_MS = { sqlite: 20, postgres: 100 } as const;

type Server = { child: Child; base: string; token: string };

async function start(children: Children, place: TestPlace, apiKey: string): Promise<Server> {
  const quiet = { PORT: '0', HOST: '127.0.0.1', GROVE_RATE_LIMIT: 'off', GROVE_LOG_LEVEL: 'silent' };
  const child = children.start('server', { ...quiet, ...place.environment });
  const base = `http://127.0.0.1:${await child.line()}`;
  const answer = await fetch(`${base}/api/arthr/apiKeys/issue`, { method: 'POST', headers: { 'X-Api-Key': apiKey } });
  return { child, base, token: ((await answer.json()) as { token: string }).token };
}

const bearer = ({ token }: Server) => ({ headers: { Authorization: `Bearer ${token}` } });

/** Instances with a key, rows and blobs of their own. */
async function seed(
  grove: TestApp,
  tokenId: string,
  { count, images, bytes }: Record<'count' | 'images' | 'bytes', number>,
) {
  const db = grove.app.db.of(TENANT);
  const blobs = openBlobs(grove.config, systemClock);
  const path = `/api/process-manager/processInstances/create?pt=${tokenId}`;
  const addOne = async (): Promise<string> => {
    const { body } = await grove.call(path, { method: 'POST' });
    const id = body.processInstanceId as string;
    const seal = await db.write((tx) => grove.app.vault.sealerFor(tx, `instance:${id}`));
    const rows = Array.from({ length: images }, (_, number) => ({
      instance_id: id,
      step: 'selfie',
      attempt: 1,
      name: `frame${number}`,
      blob_key: newId(Date.now()),
      blob_offset: null,
      former_key: null,
      content_type: 'image/jpeg',
      bytes,
      sha256: '',
      created_at: Date.now(),
    }));
    for (const { blob_key } of rows)
      await blobs.put(blob_key, seal(imageContext({ blob_key }), Buffer.alloc(bytes, 7)));
    await db.write(async (tx) => {
      await saveImages(tx, rows, []);
    });
    return id;
  };
  const ids: string[] = [];
  while (ids.length < count) {
    const more = Math.min(SEEDED_AT_ONCE, count - ids.length);
    ids.push(...(await Promise.all(Array.from({ length: more }, addOne))));
  }
  return ids;
}

async function tokenOf(grove: TestApp): Promise<string> {
  const body = JSON.stringify({ name: 'crash', processDefnName: 'document-and-selfie' });
  const creation = await grove.call('/api/process-manager/processTokens', { method: 'POST', body });
  assert.equal(creation.status, 201, creation.text);
  return creation.body.id;
}

async function withDb<T>(place: TestPlace, work: (db: TenantDb) => Promise<T>): Promise<T> {
  const db = openDb(readConfig(place.environment).database, () => undefined);
  try {
    return await work(db.of(TENANT));
  } finally {
    await db.close();
  }
}

const STATE = unprepared(`SELECT
  (SELECT count(*) FROM process_instances WHERE tenant_id = $1) AS instances,
  (SELECT CAST(sum(value) AS BIGINT) FROM counters WHERE tenant_id = $1 AND name LIKE 'instances/%') AS counted,
  (SELECT count(*) FROM data_keys WHERE tenant_id = $1 AND subject LIKE 'instance:%') AS keys,
  (SELECT count(*) FROM instance_images WHERE tenant_id = $1) AS images,
  (SELECT count(*) FROM instance_tombstones WHERE tenant_id = $1) AS tombstones,
  (SELECT count(*) FROM erasures WHERE tenant_id = $1) AS erasures,
  (SELECT count(*) FROM erasures WHERE tenant_id = $1 AND state = 'ERASING') AS unfinished`);
type State = Record<'instances' | 'counted' | 'keys' | 'images' | 'tombstones' | 'erasures' | 'unfinished', number>;

const stateOf = (place: TestPlace) =>
  withDb(place, async (db) => ({ ...(await db.get<State>(STATE, [TENANT])) }) as State);

/** Every instance is complete, or gone with all its rows and has a tombstone: in one snapshot of the database. */
async function assertWhole(place: TestPlace, created: number): Promise<State> {
  const state = await stateOf(place);
  const { instances, unfinished } = state;
  const deletedCount = created - instances;
  assert.deepEqual(state, {
    instances,
    counted: instances,
    keys: instances,
    images: instances * IMAGES,
    tombstones: deletedCount,
    erasures: deletedCount,
    unfinished,
  });
  return state;
}

/** Resolves when at most that many instances are left or the run has ended. */
function someGone(place: TestPlace, most: number, work: Promise<unknown>): Promise<void> {
  let over = false;
  work.then(() => {
    over = true;
  });
  return withDb(place, async (db) => {
    while (!over && ((await db.get<State>(STATE, [TENANT]))?.instances ?? 0) > most) await sleep(1);
  });
}

function blobCount(place: TestPlace): number {
  const folder = readConfig(place.environment).blobFolder;
  if (!existsSync(folder)) return 0;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  // Deleted instances also have a record in the log of erasures.
  return files.filter(({ parentPath }) => !parentPath.includes('/erased/')).length;
}

/** The deletions are confirmed and the blobs are gone within a minute of the restart. */
async function assertGone(place: TestPlace, created: number): Promise<void> {
  const until = performance.now() + GONE_WITHIN_MS;
  for (;;) {
    const { unfinished, instances } = await assertWhole(place, created);
    if (unfinished === 0) {
      assert.equal(blobCount(place), instances * IMAGES);
      return;
    }
    assert.ok(performance.now() < until, `${unfinished} erasures are not finished after a minute`);
    await sleep(50);
  }
}

const expire = (place: TestPlace, ids: readonly string[]) =>
  withDb(place, (db) =>
    db.write(async (tx) => {
      const text = 'UPDATE process_instances SET expiring_at = 1, deadline_at = 1 WHERE tenant_id = $1 AND id = $2';
      for (const id of ids) await tx.run({ text }, [TENANT, id]);
    }),
  );

const REDACTIONS = unprepared(`SELECT
  (SELECT count(*) FROM process_instances WHERE tenant_id = $1 AND redacted_at IS NOT NULL) AS redacted,
  (SELECT count(*) FROM redactions WHERE tenant_id = $1) AS redactions,
  (SELECT count(*) FROM redactions WHERE tenant_id = $1 AND state = 'ERASING') AS unfinished,
  (SELECT count(*) FROM data_keys WHERE tenant_id = $1 AND subject LIKE 'instance:%') AS keys,
  (SELECT count(*) FROM instance_images WHERE tenant_id = $1) AS images`);
type Redactions = Record<'redacted' | 'redactions' | 'unfinished' | 'keys' | 'images', number>;

const redactionsOf = (place: TestPlace) =>
  withDb(place, async (db) => ({ ...(await db.get<Redactions>(REDACTIONS, [TENANT])) }) as Redactions);

/** Every instance has all of its data, or none: in one snapshot of the database. */
async function assertRedacted(place: TestPlace, created: number): Promise<Redactions> {
  const state = await redactionsOf(place);
  const { redacted, unfinished } = state;
  const whole = created - redacted;
  assert.deepEqual(state, { redacted, redactions: redacted, unfinished, keys: whole, images: whole * IMAGES });
  return state;
}

/** Resolves when that many instances are redacted, or all requests are answered. */
function someRedacted(place: TestPlace, least: number, work: Promise<unknown>): Promise<void> {
  let over = false;
  work.then(() => {
    over = true;
  });
  return withDb(place, async (db) => {
    while (!over && ((await db.get<Redactions>(REDACTIONS, [TENANT]))?.redacted ?? 0) < least) await sleep(1);
  });
}

/** Every journey has ended. */
const end = (place: TestPlace) =>
  withDb(place, (db) =>
    db.write((tx) =>
      tx.run(
        {
          text: "UPDATE process_instances SET status = 'COMPLETED_TERMINATED', deadline_at = NULL WHERE tenant_id = $1",
        },
        [TENANT],
      ),
    ),
  );

describe('a server that is killed', { timeout: CRASH_TIMEOUT_MS }, () => {
  onBothEngines(`${ROUNDS} times`, (engine, places) => {
    const children = testChildren();

    it('a server that is killed while it deletes leaves every instance complete, or gone within a minute of the restart', async (t) => {
      const place = await places.create();
      const grove = await openTestApp(place);
      const { apiKey } = grove;
      const tokenId = await tokenOf(grove);
      const ids = await seed(grove, tokenId, { count: INSTANCES * ROUNDS, images: IMAGES, bytes: 1000 });
      await grove.stop();
      const seedMore = async () => {
        const again = await openTestApp(place);
        ids.push(...(await seed(again, tokenId, { count: INSTANCES, images: IMAGES, bytes: 1000 })));
        await again.stop();
      };

      let [inTheMiddle, unfinished] = [0, 0];
      let server = await start(children, place, apiKey);
      const run = (kind: string, method: string) =>
        fetch(`${server.base}/api/process-manager/retention/${kind}`, { method, ...bearer(server) })
          .then((answer) => answer.json() as Promise<{ due: number; purged: number }>)
          .catch(() => undefined);
      for (let round = 0; round < ROUNDS || (unfinished + inTheMiddle === 0 && round < MOST_ROUNDS); round++) {
        if (round >= ROUNDS) {
          await server.child.kill('SIGKILL');
          await seedMore();
          server = await start(children, place, apiKey);
        }
        await expire(place, ids.slice(round * INSTANCES, (round + 1) * INSTANCES));
        const { instances } = await stateOf(place);
        // A server that has just started may still be busy with work of the previous one.
        let due = 0;
        for (let tries = 0; tries < 50 && due < INSTANCES; tries++) {
          if (tries > 0) await sleep(100);
          due = (await run('preview', 'GET'))?.due ?? 0;
        }
        assert.ok(due >= INSTANCES, `${due} are due`);
        const retentionRun = run('run', 'POST');
        await someGone(place, instances - Math.floor((chance() * INSTANCES) / 2), retentionRun);
        await sleep(chance() * KILL_WITHIN_MS[engine]);
        await server.child.kill('SIGKILL');
        await retentionRun;
        const killed = await assertWhole(place, ids.length);
        const deletedCount = instances - killed.instances;
        if (deletedCount > 0 && deletedCount < due) inTheMiddle += 1;
        unfinished += killed.unfinished;
        server = await start(children, place, apiKey);
        await assertGone(place, ids.length);
      }
      // One run deletes for a limited time and returns how many are left.
      for (let runs = 0; runs < MOST_ROUNDS && (await stateOf(place)).instances > 0; runs++) await run('run', 'POST');
      await assertGone(place, ids.length);
      assert.equal((await stateOf(place)).instances, 0);
      await server.child.kill('SIGKILL');
      t.diagnostic(`${ids.length} instances; killed in the middle ${inTheMiddle} times, ${unfinished} half erased`);
      assert.ok(unfinished + inTheMiddle > 0, 'no kill came in time to show anything');
    });

    it('a server that is killed while it redacts leaves every instance complete, or without its data within a minute of the restart', async (t) => {
      const place = await places.create();
      const grove = await openTestApp(place);
      const ids = await seed(grove, await tokenOf(grove), { count: INSTANCES * ROUNDS, images: IMAGES, bytes: 1000 });
      const { apiKey } = grove;
      await grove.stop();
      await end(place);

      let server = await start(children, place, apiKey);
      const redact = (id: string) =>
        fetch(`${server.base}/api/process-manager/processInstances/${id}/redact`, { method: 'POST', ...bearer(server) })
          .then((answer) => answer.status)
          .catch(() => undefined);
      for (let round = 0; round < ROUNDS; round++) {
        const before = (await redactionsOf(place)).redacted;
        const slice = ids.slice(round * INSTANCES, (round + 1) * INSTANCES);
        const redactionRun = Promise.all(slice.map(redact));
        await someRedacted(place, before + 1 + Math.floor((chance() * INSTANCES) / 2), redactionRun);
        await server.child.kill('SIGKILL');
        await redactionRun;
        const killed = await assertRedacted(place, ids.length);
        t.diagnostic(`round ${round + 1}: ${killed.redacted - before} redacted, ${killed.unfinished} unfinished`);
        server = await start(children, place, apiKey);
        const until = performance.now() + GONE_WITHIN_MS;
        while ((await assertRedacted(place, ids.length)).unfinished > 0) {
          assert.ok(performance.now() < until, 'redactions are not finished after a minute');
          await sleep(50);
        }
        assert.equal(blobCount(place), (ids.length - (await redactionsOf(place)).redacted) * IMAGES);
      }
      assert.deepEqual(
        [...new Set(await Promise.all(ids.map(redact)))],
        [200],
        'what was redacted and what was not can be redacted again',
      );
      await server.child.kill('SIGTERM');
    });

    it('a server that is killed while it sends an archive sends no complete one, changes nothing, and can send it afterwards', async () => {
      const place = await places.create();
      const grove = await openTestApp(place);
      const { apiKey } = grove;
      const images = 64;
      const [id = ''] = await seed(grove, await tokenOf(grove), { count: 1, images, bytes: 256 * 1024 });
      const { body } = await grove.call(`/api/process-manager/processInstances/${id}`);
      await grove.stop();
      const path = `/api/userdata-server/processDefinitions/${body.processDefnId}/processInstances/${id}/userdataarchive`;
      let server = await start(children, place, apiKey);
      const download = () => fetch(`${server.base}${path}`, { method: 'POST', ...bearer(server) });
      for (let round = 0; round < ROUNDS; round++) {
        const cut = await download();
        assert.equal(cut.status, 200);
        await sleep(chance() * 30);
        await server.child.kill('SIGKILL');
        await assert.rejects(cut.arrayBuffer());
        const { instances, images: rows, keys } = await stateOf(place);
        assert.deepEqual([instances, keys, rows, blobCount(place)], [1, 1, images, images]);
        server = await start(children, place, apiKey);
      }
      const entries = await unzip(Buffer.from(await (await download()).arrayBuffer()));
      assert.equal(entries.size, images + 8);
      await server.child.kill('SIGKILL');
    });
  });
});
