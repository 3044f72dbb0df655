import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type Ceph, createBucket, missingForCeph, startCeph } from '../../../test/ceph.ts';
import { readWhole } from '../../../test/read-whole.ts';
import { readConfig } from '../../config.ts';
import { newId } from '../../kernel/ids.ts';
import type { Blobs } from './blobs.ts';
import { openS3, type S3Place } from './s3.ts';
import type { S3Options } from './s3-request.ts';

/**
 * A store of another project. TEST_S3_URL has the form of BLOB_URL, needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY,
 * and names an existing bucket. Without it, the test starts Ceph if it is installed.
 */
const { TEST_S3_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
const missing = TEST_S3_URL ? [] : missingForCeph();
const skip =
  missing.length > 0 && `TEST_S3_URL names no S3 server, and none can be started without ${missing.join(', ')}`;

// Each test is skipped rather than the suite, so that the number of tests is the same without a server.
const it = (title: string, work: () => Promise<void>) => test(title, { skip }, work);

describe('blobs in a real bucket', () => {
  let ceph: Ceph | undefined;
  let place: S3Place;
  before(async () => {
    if (skip) return;
    ceph = TEST_S3_URL ? undefined : await startCeph();
    const url = TEST_S3_URL ?? `s3://images/a%20b/%C3%BC?region=default&endpoint=${ceph?.endpoint}`;
    const key = ceph?.key ?? { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
    const environment = {
      BLOB_URL: url,
      AWS_ACCESS_KEY_ID: key.accessKeyId,
      AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
    };
    place = readConfig(environment).s3 as S3Place;
    if (ceph) await createBucket(place);
  });
  after(() => ceph?.stop());

  const open = (own: Partial<S3Place> = {}, options: Partial<S3Options> = {}): Blobs =>
    openS3({ ...place, ...own }, { now: () => Date.now(), ...options });
  const stored = (blobs: Blobs, shard: string) => Array.fromAsync(blobs.list(shard));

  it('blobs in a real bucket are stored, replaced, listed, read and deleted as in the bucket of the tests', async () => {
    const blobs = open();
    await blobs.check();
    const key = newId(Date.now());
    for (const bytes of [randomBytes(5_000_000), Buffer.alloc(0), randomBytes(100)]) {
      await blobs.put(key, bytes);
      assert.ok(bytes.equals(await readWhole(await blobs.get(key))));
    }
    const listed = (await stored(blobs, key.slice(-2))).find((each) => each.key === key);
    assert.ok(listed && Math.abs(listed.storedAt - Date.now()) < 600_000);
    await blobs.delete(key);
    await blobs.delete(key);
    await assert.rejects(blobs.get(key), { fault: 'missing' });
  });

  it('blobs in a real bucket are read in parts', async () => {
    const blobs = open();
    const key = newId(Date.now());
    const bytes = randomBytes(3_000_000);
    await blobs.put(key, bytes);
    for (const [offset, size] of [
      [0, 10],
      [1000, 2_500_000],
      [2_999_999, 1],
    ] as const) {
      const part = await readWhole(await blobs.get(key, { offset, size }));
      assert.ok(part.equals(bytes.subarray(offset, offset + size)), `${offset} ${size}`);
    }
    await assert.rejects(blobs.get(key, { offset: 3_000_000, size: 1 }), { fault: 'missing' });
    await blobs.delete(key);
  });

  it('blobs in a real bucket are listed over several pages, and deleted while they are listed', async () => {
    const blobs = open({}, { listSize: 2 });
    const keys = Array.from({ length: 5 }, () => `${newId(Date.now()).slice(0, 24)}ZZ`).sort();
    await Promise.all(keys.map((key) => blobs.put(key, Buffer.from(key))));
    assert.deepEqual(
      (await stored(blobs, 'ZZ')).map(({ key }) => key),
      keys,
    );
    for (const { remove } of await stored(blobs, 'ZZ')) await remove();
    assert.deepEqual(await stored(blobs, 'ZZ'), []);
  });

  it('blobs in a real bucket are read many at once, and a reader that leaves holds up nobody', async () => {
    const blobs = open();
    const keys = Array.from({ length: 40 }, () => newId(Date.now()));
    const bytesOf = (key: string) => Buffer.alloc(300_000, key);
    await Promise.all(keys.map((key) => blobs.put(key, bytesOf(key))));
    const leave = async (key: string) => {
      const blob = await blobs.get(key);
      await blob.read(1000);
      await blob.close();
    };
    const [wholes] = await Promise.all([
      Promise.all(keys.map(async (key) => readWhole(await blobs.get(key)))),
      Promise.all(keys.map(leave)),
    ]);
    for (const [at, key] of keys.entries()) assert.ok(wholes[at]?.equals(bytesOf(key)));
    await Promise.all(keys.map(blobs.delete));
  });

  it('a real bucket refuses a wrong secret, an unknown key, a wrong clock and a bucket that does not exist', async () => {
    const wrong: [Blobs, RegExp][] = [
      [open({ secretAccessKey: 'wrong' }), /SignatureDoesNotMatch/],
      [open({ accessKeyId: 'NOBODY' }), /InvalidAccessKeyId/],
      [open({}, { now: () => Date.now() - 3_600_000 }), /RequestTimeTooSkewed/],
      [open({ endpoint: `${place.endpoint}-of-nobody` }), /NoSuchBucket/],
    ];
    for (const [blobs, word] of wrong) {
      await assert.rejects(blobs.check(), (error: { fault: string; detail: { log: string } }) => {
        assert.equal(error.fault, 'unavailable');
        assert.match(error.detail.log, word);
        return true;
      });
    }
  });
});
