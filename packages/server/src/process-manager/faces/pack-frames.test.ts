import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { openChallengePage } from '../../../test/challenge.ts';
import { type EndUser, startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { S3_KEY, S3_REGION, type S3Server, startS3 } from '../../../test/s3-server.ts';
import type { TenantDb } from '../../db/db.ts';
import { BlobError, type Blobs } from '../../engines/blobs/blobs.ts';
import { openBlobs } from '../../engines/blobs/open.ts';
import type { JobContext } from '../../jobs/define-job.ts';
import { HOUR } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { deleteTenant } from '../../tenants/delete-tenant.ts';
import { everyTenantId } from '../../tenants/tenants.repository.ts';
import { everyBlobKey, type ImageRow, imagesOf, knownBlobs, saveImages } from '../images/images.repository.ts';
import { readImage } from '../images/read-image.ts';
import { FORMER_KEPT_MS, NOTHING_PACKED_MS, PACKED_AFTER_MS, packFramesJob } from './pack-frames.ts';

const DEFINITION = {
  name: 'moving',
  processDefinitionType: 'VERIFICATION',
  steps: [
    { id: 'moving', type: 'face', key: 'face1', liveness: 'active' },
    { id: 'decide', type: 'decision', onAnyFailure: 'REVIEW' },
  ],
};

onBothEngines('the frames of a used challenge', (_engine, places) => {
  let app: TestApp;
  let s3: S3Server;
  let db: TenantDb;
  let blobs: Blobs;
  let testKey: string;
  before(async () => {
    s3 = await startS3('images');
    const environment = {
      BLOB_URL: `s3://images?region=${S3_REGION}&endpoint=${s3.endpoint}`,
      AWS_ACCESS_KEY_ID: S3_KEY.accessKeyId,
      AWS_SECRET_ACCESS_KEY: S3_KEY.secretAccessKey,
    };
    app = await openTestApp(await places.create(), { environment });
    db = app.app.db.of(asTenantId('acme'));
    blobs = openBlobs(app.config, { now: () => Date.now() });
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'mover', environment: 'test' })).apiKey;
    const definition = await app.client.processDefinitions.create({ body: DEFINITION as never });
    await app.call(`/api/process-manager/processDefinitions/${definition.id}/deploy`, { method: 'POST' });
  });
  after(async () => {
    await app.stop();
    await s3.stop();
  });

  const setUpdated = (at: number) =>
    app.app.db.system.write(
      async (tx) =>
        void (await tx.run({ text: 'UPDATE schema_migrations SET applied_at = $1 WHERE version = 56' }, [at])),
    );

  type Frames = { user: EndUser; rows: ImageRow[]; bytes: Buffer[] };
  /** A journey whose challenge was answered and submitted. */
  const answeredChallenge = async (): Promise<Frames> => {
    const { user, processInstanceId } = await startJourney(app, testKey, { processDefnName: 'moving' });
    let number = 0;
    const page = openChallengePage(user, 'moving', app.clock);
    const { challengeId } = await page.answer(() => ({ frame: ++number }));
    const submitted = await user.submit('moving', { challengeId });
    assert.equal(submitted.status, 200, submitted.text);
    await user.settled();
    const rows = await imagesOf(db, processInstanceId);
    assert.ok(rows.length > 5);
    return { user, rows, bytes: await bytesOf(rows) };
  };
  const read = { vault: {} as TestApp['app']['vault'], blobs: {} as Blobs };
  const bytesOf = (rows: readonly ImageRow[]) =>
    Promise.all(rows.map((row) => readImage({ ...read, vault: app.app.vault, blobs }, db, row)));
  const rowsOf = ({ user }: Frames) => imagesOf(db, user.processInstanceId);
  const objects = () => new Set(Array.from(s3.objects.keys(), (path) => path.slice(-26)));
  const stored = (keys: Iterable<string>) => new Set(keys).intersection(objects()).size;
  const keysOf = (rows: readonly ImageRow[]) => rows.map(({ blob_key }) => blob_key);

  const faults: string[] = [];
  /** Runs the job that long after now. */
  const pack = (laterMs: number, { store = blobs, clockFault }: { store?: Blobs; clockFault?: string } = {}) => {
    const job = packFramesJob({
      db: app.app.db,
      vault: app.app.vault,
      blobs: store,
      everyTenantId: () => everyTenantId(app.app.db.system),
      deleteBlobs: async (tx, keys) => tx.afterCommit(() => void deletions.push(blobs.deleteAll(keys))),
      onError: (what) => void faults.push(what),
    });
    const context = { now: app.clock.now() + laterMs, signal: new AbortController().signal, clockFault };
    return job.run({}, context as JobContext);
  };
  const deletions: Promise<void>[] = [];
  const LATER = PACKED_AFTER_MS + HOUR;

  it('the frames of a used challenge stay separate for a week after the update, so that the previous release can run', async () => {
    const frames = await answeredChallenge();
    await setUpdated(app.clock.now());
    await pack(NOTHING_PACKED_MS - HOUR);
    assert.deepEqual(await rowsOf(frames), frames.rows);
    await pack(NOTHING_PACKED_MS + HOUR);
    assert.equal(new Set(keysOf(await rowsOf(frames))).size, 1);
    await setUpdated(0);
  });

  it('the frames of a used challenge become one object after a day, and a week later their separate blobs are gone', async () => {
    const frames = await answeredChallenge();
    await pack(PACKED_AFTER_MS - HOUR);
    assert.deepEqual(await rowsOf(frames), frames.rows, 'not before its time');
    await assert.rejects(pack(LATER, { clockFault: 'the clock is ahead' }), /the clock is ahead/);
    await pack(LATER);
    const packed = await rowsOf(frames);
    assert.equal(new Set(keysOf(packed)).size, 1);
    assert.deepEqual(await bytesOf(packed), frames.bytes);
    assert.deepEqual(await bytesOf(frames.rows), frames.bytes, 'an older copy of the database finds them too');
    assert.equal(stored([...keysOf(packed), ...keysOf(frames.rows)]), 1 + frames.rows.length);
    await pack(LATER + FORMER_KEPT_MS - HOUR);
    assert.deepEqual(await rowsOf(frames), packed, 'nothing is packed twice, and nothing deleted early');
    await pack(LATER + FORMER_KEPT_MS + HOUR);
    await Promise.all(deletions);
    const last = await rowsOf(frames);
    assert.equal(stored([...keysOf(last), ...keysOf(frames.rows)]), 1);
    assert.ok(last.every(({ former_key }) => former_key === null));
    assert.deepEqual(await bytesOf(last), frames.bytes);
  });

  it('the frames of a used challenge are read as parts of the object, and exchanged parts do not open', async () => {
    const frames = await answeredChallenge();
    await pack(LATER);
    const packed = await rowsOf(frames);
    const [one, two] = packed.toSorted((a, b) => Number(a.blob_offset) - Number(b.blob_offset)) as [ImageRow, ImageRow];
    await assert.rejects(bytesOf([{ ...two, blob_offset: Number(two.blob_offset) + 1 }]));
    await assert.rejects(bytesOf([{ ...two, blob_offset: 2 ** 30 }]), { fault: 'missing' });
    const path = [...s3.objects.keys()].find((key) => key.endsWith(one.blob_key)) as string;
    const object = s3.objects.get(path) as { bytes: Buffer };
    const { bytes } = object;
    const size = Number(two.blob_offset);
    const exchanged = Buffer.concat([
      bytes.subarray(size, 2 * size),
      bytes.subarray(0, size),
      bytes.subarray(2 * size),
    ]);
    object.bytes = exchanged;
    assert.equal(one.bytes, two.bytes);
    for (const row of [one, two]) await assert.rejects(bytesOf([row]));
    object.bytes = bytes;
    // A store that cannot read parts must not return another frame.
    s3.next.push((_request, response) => void response.end(bytes));
    await assert.rejects(bytesOf([two]), { fault: 'unavailable' });
  });

  it('the frames of a used challenge are known to the sweep and to backups, each blob once', async () => {
    const frames = await answeredChallenge();
    await pack(LATER);
    const packed = await rowsOf(frames);
    const keys = new Set([...keysOf(packed), ...keysOf(frames.rows)]);
    assert.deepEqual(new Set(await knownBlobs(db, [...keys])), keys);
    const all = await Array.fromAsync(everyBlobKey(db));
    assert.equal(all.length, new Set(all).size);
    assert.deepEqual(all, all.toSorted());
    assert.deepEqual(keys.difference(new Set(all)), new Set());
  });

  it('the frames of a used challenge are deleted with their instance: the object and the earlier blobs', async () => {
    const frames = await answeredChallenge();
    await pack(LATER);
    const keys = [...keysOf(await rowsOf(frames)), ...keysOf(frames.rows)];
    const token = await app.token(testKey);
    const path = `/api/process-manager/processInstances/${frames.user.processInstanceId}`;
    const deleted = await app.call(path, { method: 'DELETE', token });
    assert.equal(deleted.status, 200, deleted.text);
    for (let tries = 0; tries < 500 && stored(keys) > 0; tries++) await app.app.jobs.runDue();
    assert.equal(stored(keys), 0);
    const erasure = await app.call(`/api/process-manager/erasures/${frames.user.processInstanceId}`, { token });
    assert.equal(erasure.body.blobsRemoved, new Set(keys).size, erasure.text);
  });

  it('the frames of a used challenge do not change if the server dies or the store is unavailable, and the next run packs them', async () => {
    const frames = await answeredChallenge();
    let orphan = '';
    const dies: Blobs['put'] = async (key, content) => {
      await blobs.put(key, content);
      orphan = key;
      throw new BlobError('unavailable', 'the server dies');
    };
    await assert.rejects(pack(LATER, { store: { ...blobs, put: dies } }), { fault: 'unavailable' });
    assert.deepEqual(await rowsOf(frames), frames.rows);
    assert.deepEqual([stored([orphan]), await knownBlobs(db, [orphan])], [1, []], 'the sweep removes it');
    await pack(LATER);
    assert.deepEqual(await bytesOf(await rowsOf(frames)), frames.bytes);
    assert.equal(new Set(keysOf(await rowsOf(frames))).size, 1);
  });

  it('the frames of a used challenge leave no object if the instance is deleted or redacted meanwhile', async () => {
    for (const method of ['DELETE', 'POST'] as const) {
      const frames = await answeredChallenge();
      const path = `/api/process-manager/processInstances/${frames.user.processInstanceId}`;
      const token = await app.token(testKey);
      let packKey = '';
      const put: Blobs['put'] = async (key, content) => {
        await blobs.put(key, content);
        packKey = key;
        const removed = await app.call(method === 'POST' ? `${path}/redact` : path, { method, token });
        assert.ok(removed.status < 300, removed.text);
      };
      await pack(LATER, { store: { ...blobs, put } });
      assert.match(packKey, /^\w{26}$/);
      assert.equal(stored([packKey]), 0, method);
    }
  });

  it('the frames of a used challenge stay separate if one is damaged or missing, and those of others are packed', async () => {
    const [damaged, missing, sound] = [await answeredChallenge(), await answeredChallenge(), await answeredChallenge()];
    const pathOf = (row: ImageRow | undefined) =>
      [...s3.objects.keys()].find((key) => key.endsWith(row?.blob_key ?? '-'));
    const damagedObject = s3.objects.get(pathOf(damaged.rows[1]) as string);
    if (damagedObject) damagedObject.bytes = Buffer.alloc(damagedObject.bytes.length, 2);
    s3.objects.delete(pathOf(missing.rows[1]) as string);
    faults.length = 0;
    await pack(LATER);
    await pack(LATER);
    assert.deepEqual(faults, Array(2).fill('could not pack the frames of a challenge'));
    assert.deepEqual(await rowsOf(damaged), damaged.rows);
    assert.deepEqual(await rowsOf(missing), missing.rows);
    assert.equal(new Set(keysOf(await rowsOf(sound))).size, 1);
  });

  it('the frames of a used challenge share an object as long as one is left: replacing one deletes only its own blobs', async () => {
    const frames = await answeredChallenge();
    await pack(LATER);
    const packed = await rowsOf(frames);
    const [first] = packed as [ImageRow];
    const [{ blob_key }] = (await answeredChallenge()).rows as [ImageRow];
    const replaced = await db.write(async (tx) =>
      saveImages(tx, [{ ...first, blob_key, blob_offset: null, former_key: null }], packed),
    );
    assert.deepEqual(replaced, [first.former_key]);
  });

  it('the frames of a used challenge are all deleted with their tenant', async () => {
    const frames = await answeredChallenge();
    await pack(LATER);
    const keys = [...keysOf(await rowsOf(frames)), ...keysOf(frames.rows)];
    assert.equal(stored(keys), 1 + frames.rows.length);
    const count = await db.get<{ images: number }>(
      { text: 'SELECT count(*) AS images FROM instance_images WHERE tenant_id = $1' },
      [db.tenantId],
    );
    const progress: number[][] = [];
    const onProgress = (stage: string, done: number, total: number) => {
      if (stage === 'images') progress.push([done, total]);
    };
    await deleteTenant({ db: app.app.db, blobs, onProgress }, asTenantId('acme'));
    assert.equal(stored(keys), 0);
    assert.deepEqual(progress, [[Number(count?.images), Number(count?.images)]]);
  });
});
