import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, it } from 'node:test';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import type { TenantDb } from '../../db/db.ts';
import { readStream } from '../../engines/blobs/read-stream.ts';
import { asTenantId } from '../../kernel/ids.ts';
import type { SealedBlob } from '../../secrets/vault.ts';
import { type ImageRow, imagesOf, saveImages } from './images.repository.ts';
import { readImage } from './read-image.ts';
import { storeDerived } from './save-derived.ts';

const PORTRAIT = { name: 'portrait', contentType: 'image/jpeg', bytes: Buffer.from('a small face') };

onBothEngines('an image that is cut out of another', (_engine, places) => {
  let app: TestApp;
  let db: TenantDb;
  const storedBlobs = new Map<string, Buffer>();
  const blobs = {
    put: async (key: string, sealed: SealedBlob) =>
      void storedBlobs.set(key, await buffer(Readable.from(sealed.chunks()))),
    delete: async (key: string) => void storedBlobs.delete(key),
    get: async (key: string) => readStream(Readable.from([storedBlobs.get(key) as Buffer])),
  };
  before(async () => {
    app = await openTestApp(await places.create());
    db = app.app.db.of(asTenantId('acme'));
  });
  after(() => app.stop());

  const newInstance = async () => (await startJourney(app, app.apiKey)).processInstanceId;
  const store = (instanceId: string) => {
    const { vault } = app.app;
    const owner = { instanceId, step: 'document', attempt: 1, now: app.clock.now() };
    return storeDerived({ vault, blobs: blobs as never }, db, [PORTRAIT], owner);
  };
  const record = (rows: readonly ImageRow[]) =>
    db.write(async (tx) => saveImages(tx, rows, await imagesOf(tx, rows[0]?.instance_id ?? '')));

  it('an image that is cut out of another is sealed for the instance, and read like an upload', async () => {
    const id = await newInstance();
    const rows = await store(id);
    assert.deepEqual(await imagesOf(db, id), [], 'a row comes with the findings only');
    assert.deepEqual(await record(rows), []);
    const [row] = await imagesOf(db, id);
    assert.ok(row);
    assert.ok(!storedBlobs.get(row.blob_key)?.includes(PORTRAIT.bytes));
    const read = { vault: app.app.vault, blobs: blobs as never };
    assert.deepEqual(await readImage(read, db, row), PORTRAIT.bytes);
  });

  it('an image that is cut out of another replaces the previous one, and returns the blob that is no longer needed', async () => {
    const id = await newInstance();
    const [first, second] = [await store(id), await store(id)];
    await record(first);
    assert.deepEqual(await record(second), [first[0]?.blob_key]);
    assert.equal((await imagesOf(db, id)).length, 1);
  });

  it('an image that is cut out of another is not stored for a deleted instance', async () => {
    const id = await newInstance();
    await app.call(`/api/process-manager/processInstances/${id}`, { method: 'DELETE' });
    const before = storedBlobs.size;
    assert.deepEqual(await store(id), []);
    assert.equal(storedBlobs.size, before);
  });
});
