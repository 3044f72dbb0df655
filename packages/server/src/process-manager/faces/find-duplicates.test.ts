import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, it } from 'node:test';
import { encodeTemplate, FACE_ALGORITHM, facePack } from '@grove/vision/templates';
import { FACE_MODELS } from '../../../../vision/src/model-names.ts';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import type { TenantDb } from '../../db/db.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { faceKeys } from './faces.repository.ts';
import { findDuplicates } from './find-duplicates.ts';
import { openKnownFaces } from './known-faces.ts';

const LENGTH = 512;

/** A face that looks like `person`, a little different each `day`. */
function faceOf(person: number, day = 0): Buffer {
  const vector = new Float32Array(LENGTH);
  vector[person] = Math.cos(day / 10);
  vector[LENGTH - 1] = Math.sin(day / 10);
  return encodeTemplate({ algorithm: FACE_ALGORITHM, model: FACE_MODELS.feature, vector });
}

function faceOfIntel(): Buffer {
  const vector = Float32Array.from({ length: 256 }, (_, at) => +(at === 0));
  return encodeTemplate({ ...facePack('intel-0095'), vector });
}

/** The same with no number equal to 0, like the output of a network: a sketch contains the sign of each number. */
function mixedFace(person: number, day = 0): Buffer {
  const wave = (phase: number, at: number) => Math.sin(1 + at * at * 0.7 * phase + phase);
  const vector = Float32Array.from({ length: LENGTH }, (_, at) => wave(person, at) + (day / 10) * wave(99 + day, at));
  const length = Math.hypot(...vector);
  return encodeTemplate({
    algorithm: FACE_ALGORITHM,
    model: FACE_MODELS.feature,
    vector: vector.map((value) => value / length),
  });
}

onBothEngines('the search for a face in other instances', (_engine, places) => {
  let app: TestApp;
  let db: TenantDb;
  let testKey: string;
  before(async () => {
    app = await openTestApp(await places.create());
    db = app.app.db.of(asTenantId('acme'));
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
  });
  after(() => app.stop());

  const newInstance = async (key = app.apiKey) => (await startJourney(app, key)).processInstanceId;
  const newTenant = async (id: string) => {
    const { apiKey } = await app.app.tenants.create({ id });
    const token = await app.token(apiKey);
    const instance = async (): Promise<string> => {
      const body = JSON.stringify({ name: `theirs ${randomUUID()}`, processDefnName: 'document-and-selfie' });
      const creation = await app.call('/api/process-manager/processTokens', { method: 'POST', body, token });
      const create = `/api/process-manager/processInstances/create?pt=${creation.body.id}`;
      return (await app.call(create, { method: 'POST', token })).body.processInstanceId;
    };
    const remove = async (instanceId: string): Promise<number> =>
      (await app.call(`/api/process-manager/processInstances/${instanceId}`, { method: 'DELETE', token })).status;
    return { of: app.app.db.of(asTenantId(id)), instance, remove };
  };
  const openServer = (options = {}) => {
    const { vault } = app.app;
    const onError = (what: string, error: unknown) => assert.fail(`${what}: ${error}`);
    const knownFaces = openKnownFaces({ vault, onError }, options);
    return async (
      id: string,
      template: Buffer,
      { environment = 'live' as 'live' | 'test', step = 'twice', of = db } = {},
    ) => {
      const search = { instance: { id, environment }, step, template, threshold: 0.7, now: app.clock.now() };
      const { status, score, reason, metaData } = await findDuplicates({ vault, known: knownFaces }, of, search);
      const { candidates, compared, notCompared, approximate } = metaData as {
        candidates: { processInstanceId: string }[];
        compared: number;
        notCompared: number;
        approximate?: boolean;
      };
      const instanceIds = candidates.map(({ processInstanceId }) => processInstanceId);
      return { status, score, reason, instanceIds, compared, notCompared, approximate };
    };
  };

  it('the search for a face in other instances finds the same person in another instance, and nobody else', async () => {
    const find = openServer();
    const [one, other, again] = [await newInstance(), await newInstance(), await newInstance()];
    assert.deepEqual((await find(one, faceOf(1))).instanceIds, []);
    assert.deepEqual((await find(other, faceOf(2))).instanceIds, []);
    const { status, score = 0, instanceIds } = await find(again, faceOf(1, 1));
    assert.deepEqual([status, instanceIds], ['REVIEW', [one]]);
    assert.ok(score >= 0.7 && score < 1);
  });

  it('the search for a face in other instances never finds the instance itself, however often it runs', async () => {
    const find = openServer();
    const id = await newInstance();
    assert.deepEqual((await find(id, faceOf(3))).status, 'PASSED');
    assert.deepEqual((await find(id, faceOf(3))).status, 'PASSED');
  });

  it('the search for a face in two instances at once finds the other for at least one of them, also on another server', async () => {
    const [one, other] = [await newInstance(), await newInstance()];
    const [here, there] = [openServer(), openServer()];
    const both = await Promise.all([here(one, faceOf(4)), there(other, faceOf(4, 1))]);
    assert.ok(both.some(({ status }) => status === 'REVIEW'));
  });

  it('the search for a face in two instances that are alike to others links all of them, without a deadlock', async () => {
    const find = openServer();
    const ids = [];
    for (let at = 0; at < 4; at++) ids.push(await newInstance());
    const [one = '', two = '', three = '', four = ''] = ids.toSorted();
    // The first is most like the second, and the third most like the fourth.
    const days = new Map([
      [two, 0],
      [one, 1.5],
      [three, 4],
      [four, 5],
    ]);
    const search = (id: string) => find(id, faceOf(40, days.get(id)));
    for (const id of [two, four]) await search(id);
    for (let round = 0; round < 20; round++) {
      const [first, third] = await Promise.all([search(one), search(three)]);
      if (round > 0) assert.deepEqual([first?.instanceIds[0], third?.instanceIds[0]], [two, four]);
    }
  });

  it('the search for a face in other instances uses the newest face of an instance, not an earlier one', async () => {
    const find = openServer();
    const [id, other] = [await newInstance(), await newInstance()];
    await find(id, faceOf(5));
    app.clock.advance(1);
    await find(id, faceOf(6));
    assert.deepEqual((await find(other, faceOf(5))).instanceIds, []);
    assert.deepEqual((await find(other, faceOf(6))).instanceIds, [id]);
  });

  it('the search for a face in other instances ignores the other environment and other tenants', async () => {
    const find = openServer();
    const [live, test] = [await newInstance(), await newInstance(testKey)];
    await find(live, faceOf(7));
    assert.deepEqual((await find(test, faceOf(7), { environment: 'test' })).instanceIds, []);
    const { of, instance } = await newTenant('stranger');
    assert.deepEqual((await find(await instance(), faceOf(7), { of })).instanceIds, []);
  });

  it('the search for a face in other instances ignores deleted instances, and stores no face for one', async () => {
    const find = openServer();
    const [deletedId, other] = [await newInstance(), await newInstance()];
    await find(deletedId, faceOf(8));
    assert.deepEqual((await find(other, faceOf(8))).instanceIds, [deletedId]);
    const deleted = await app.call(`/api/process-manager/processInstances/${deletedId}`, { method: 'DELETE' });
    assert.equal(deleted.status, 200);
    assert.deepEqual((await find(other, faceOf(8))).instanceIds, []);
    await find(deletedId, faceOf(8));
    const rows = await db.all(
      { text: 'SELECT 1 AS one FROM instance_faces WHERE tenant_id = $1 AND instance_id = $2' },
      [db.tenantId, deletedId],
    );
    assert.deepEqual(rows, []);
  });

  it('the search for a face in other instances reads all keys once, and later only those of new faces, whichever server stored them', async () => {
    const { of, instance } = await newTenant('many-searches');
    const [one, other, third] = [await instance(), await instance(), await instance()];
    let rows = 0;
    const countingDb: TenantDb = {
      ...of,
      async all<T>(...query: Parameters<TenantDb['all']>) {
        const batch = await of.all<T>(...query);
        if (query[0].text.includes('created_at >=')) rows += batch.length;
        return batch;
      },
    };
    const [here, there] = [openServer(), openServer()];
    await here(one, faceOf(1), { of: countingDb });
    app.clock.advance(60 * 60_000);
    await here(other, faceOf(2), { of: countingDb });
    rows = 0;
    app.clock.advance(60 * 60_000);
    assert.deepEqual((await here(third, faceOf(1, 1), { of: countingDb })).instanceIds, [one]);
    assert.equal(rows, 2, 'the first was kept an hour before the newest that was known');
    app.clock.advance(60 * 60_000);
    await there(other, faceOf(3), { of });
    assert.deepEqual((await here(third, faceOf(3), { of: countingDb })).instanceIds, [other]);
  });

  it('the search for a face in other instances does not claim that nobody was found if it could not compare everybody', async () => {
    const of = await newTenant('many-faces');
    const [one, other, last] = [await of.instance(), await of.instance(), await of.instance()];
    const find = openServer();
    assert.equal((await find(one, faceOf(1), of)).status, 'PASSED');
    app.clock.advance(1);
    assert.equal((await find(other, faceOf(2), of)).status, 'PASSED');
    app.clock.advance(1);
    const small = openServer({ maxFaces: 2 });
    const { status, reason, compared, notCompared } = await small(last, faceOf(1), of);
    assert.deepEqual([status, reason, compared, notCompared], ['NOT_PERFORMED', 'not_all_compared', 2, 1]);
    assert.deepEqual((await small(last, faceOf(2), of)).instanceIds, [other], 'whoever was looked at is found');
    assert.deepEqual((await find(last, faceOf(1), of)).instanceIds, [one]);
  });

  it('the search for a face in other instances counts the faces of another algorithm, which it cannot compare', async () => {
    const of = await newTenant('two-packs');
    const [one, other] = [await of.instance(), await of.instance()];
    const find = openServer();
    const before = await find(one, faceOf(1), of);
    assert.deepEqual([before.status, before.compared, before.notCompared], ['PASSED', 1, 0]);
    const { status, reason, compared, notCompared } = await find(other, faceOfIntel(), of);
    assert.deepEqual([status, reason, compared, notCompared], ['NOT_PERFORMED', 'not_all_compared', 1, 1]);
  });

  it('the search for a face in other instances checks approximate matches with the current face in the database, and compares with all faces once they are few', async () => {
    const of = await newTenant('sketches');
    const ids = [await of.instance(), await of.instance(), await of.instance(), await of.instance()];
    const [one = '', other = '', third = '', last = ''] = ids;
    const [here, sketched] = [openServer(), openServer({ exactFaces: 2 })];
    for (const [at, id] of [one, other, third].entries()) {
      assert.equal((await here(id, mixedFace(at + 1), of)).approximate, undefined);
      app.clock.advance(1);
    }
    const result = await sketched(last, mixedFace(1, 2), of);
    assert.deepEqual(
      [result.status, result.instanceIds, result.compared, result.approximate],
      ['REVIEW', [one], 4, true],
    );
    // The other server is not notified of this change.
    await here(one, mixedFace(7), of);
    assert.deepEqual((await sketched(last, mixedFace(1, 2), of)).status, 'PASSED');
    const removalStatus = await of.remove(other);
    assert.equal(removalStatus, 200);
    assert.deepEqual((await sketched(last, mixedFace(2, 2), of)).instanceIds, []);
    assert.deepEqual((await sketched(last, mixedFace(3, 2), of)).instanceIds, [third]);
    assert.equal(await of.remove(third), 200);
    // A face of another algorithm makes the server read all keys again.
    await here(await of.instance(), faceOfIntel(), of);
    const few = await sketched(last, mixedFace(7, 2), of);
    assert.deepEqual([few.instanceIds, few.compared, few.notCompared, few.approximate], [[one], 2, 1, undefined]);
  });

  it('the search for a face in other instances reads the keys of faces in batches, the newest first, each once, also of those stored at one time', async () => {
    const of = await newTenant('parts');
    const find = openServer();
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      // Three faces have the first time, and two the second.
      if (at === 3) app.clock.advance(1);
      const id = await of.instance();
      await find(id, faceOf(at + 1), of);
      ids.push(id);
    }
    await find(ids[0] as string, faceOf(6), { ...of, step: 'another' });
    const partsOf = async (options: Parameters<typeof faceKeys>[2]) => {
      const parts = await Array.fromAsync(faceKeys(of.of, 'live', options));
      return parts.map((part) => part.map(({ instance_id, step }) => `${instance_id} ${step}`));
    };
    const [whole = []] = await partsOf({});
    assert.equal(new Set(whole).size, 6);
    assert.deepEqual(new Set(whole.slice(0, 3)), new Set([`${ids[0]} another`, `${ids[3]} twice`, `${ids[4]} twice`]));
    for (const atOnce of [1, 2, 4, 6]) {
      const parts = await partsOf({ atOnce });
      assert.equal(parts.length, Math.ceil(6 / atOnce));
      assert.deepEqual(parts.flat(), whole);
    }
  });

  it('the search for a face in other instances stores no face in plain text', async () => {
    const find = openServer();
    const id = await newInstance();
    const template = faceOf(9);
    await find(id, template);
    const rows = await db.all<{ sealed: Uint8Array }>(
      { text: 'SELECT sealed FROM instance_faces WHERE tenant_id = $1 AND instance_id = $2' },
      [db.tenantId, id],
    );
    const [{ sealed } = { sealed: new Uint8Array() }] = rows;
    assert.ok(sealed.length > template.length);
    assert.ok(!Buffer.from(sealed).includes(template.subarray(0, 16)));
  });
});
