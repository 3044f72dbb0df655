import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { readWhole } from '../../../test/read-whole.ts';
import { refuse, S3_KEY, S3_REGION, type S3Server, startS3 } from '../../../test/s3-server.ts';
import { newId } from '../../kernel/ids.ts';
import type { Blobs } from './blobs.ts';
import { openS3, type S3Place } from './s3.ts';

describe('blobs in a bucket', () => {
  let server: S3Server;
  let blobs: Blobs;
  const place = (own: Partial<S3Place> = {}): S3Place => ({
    endpoint: `${server.endpoint}/images`,
    bucket: 'images',
    region: S3_REGION,
    prefix: 'a b/ü/',
    ...S3_KEY,
    ...own,
  });
  const fast = { now: () => Date.now(), backoffMs: 1 };
  const open = (own?: Partial<S3Place>, options = {}) => openS3(place(own), { ...fast, ...options });
  const read = async (key: string) => readWhole(await blobs.get(key));
  before(async () => {
    server = await startS3('images');
    blobs = open();
  });
  after(() => server.stop());

  it('the store of blobs in a bucket returns what was stored, byte for byte, also an empty blob or one stored again', async () => {
    const key = newId(Date.now());
    for (const bytes of [Buffer.from([0, 255, 10, 13]), Buffer.alloc(0), Buffer.alloc(3_000_000, 7)]) {
      await blobs.put(key, bytes);
      assert.ok(bytes.equals(await read(key)));
    }
    assert.ok(server.objects.has(`a b/ü/${key.slice(-2)}/${key}`));
  });

  it('the store of blobs in a bucket returns a part of a blob, and nothing behind it', async () => {
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
  });

  it('the store of blobs in a bucket deletes a blob, and deletes it again without a fault; a deleted blob is missing', async () => {
    const key = newId(Date.now());
    await blobs.put(key, Buffer.from('sealed'));
    await blobs.delete(key);
    await blobs.delete(key);
    await assert.rejects(blobs.get(key), { name: 'BlobError', fault: 'missing' });
  });

  it('the store of blobs in a bucket deletes many blobs with one request, also ones that do not exist', async () => {
    const keys = Array.from({ length: 30 }, () => newId(Date.now()));
    for (const key of keys.slice(1)) await blobs.put(key, Buffer.from('x'));
    const before = server.calls.length;
    await blobs.deleteAll(keys);
    assert.deepEqual(server.calls.slice(before), ['POST /images/?delete=']);
    for (const key of keys) await assert.rejects(blobs.get(key), { fault: 'missing' });
    await blobs.deleteAll([]);
    assert.equal(server.calls.length, before + 1 + keys.length);
  });

  it('the store of blobs in a bucket deletes one by one if the service cannot delete many or left some, and then always does so', async () => {
    const some = (_request: unknown, response: Parameters<typeof refuse>[0]) =>
      response.end('<DeleteResult><Error><Key>x</Key><Code>AccessDenied</Code></Error></DeleteResult>');
    const cannot = (_request: unknown, response: Parameters<typeof refuse>[0]) =>
      refuse(response, 405, 'MethodNotAllowed');
    for (const fault of [some, cannot]) {
      const own = open();
      const keys = [newId(Date.now()), newId(Date.now())];
      for (const key of keys) await own.put(key, Buffer.from('x'));
      server.next.push(fault as never);
      await own.deleteAll(keys);
      for (const key of keys) await assert.rejects(own.get(key), { fault: 'missing' });
      const before = server.calls.length;
      await own.deleteAll(keys);
      assert.deepEqual(
        server.calls.slice(before).map((call) => call.split(' ')[0]),
        ['DELETE', 'DELETE'],
      );
    }
  });

  it('many blobs in a bucket are stored and read at once without mixing', async () => {
    const keys = Array.from({ length: 100 }, () => newId(Date.now()));
    await Promise.all(keys.map((key) => blobs.put(key, Buffer.from(key))));
    assert.deepEqual((await Promise.all(keys.map(read))).map(String), keys);
  });

  it('the store of blobs in a bucket refuses keys that are not ids before it sends anything', async () => {
    const before = server.calls.length;
    for (const key of ['', '../x', 'a/b', `${newId(0)}/..`]) {
      await assert.rejects(blobs.put(key, Buffer.from('x')), /is an id/);
      await assert.rejects(blobs.get(key), /is an id/);
      await assert.rejects(async () => blobs.delete(key), /is an id/);
    }
    assert.equal(server.calls.length, before);
  });

  it('the store of blobs in a bucket lists a shard over several pages, without foreign objects', async () => {
    server.objects.clear();
    const tail = 'ZZ';
    const keys = Array.from({ length: 8 }, () => newId(Date.now()).slice(0, 24) + tail).sort();
    for (const key of keys) await blobs.put(key, Buffer.from('x'));
    server.objects.set(`a b/ü/${tail}/README`, { bytes: Buffer.from('not ours'), at: new Date() });
    const listedKeys: (string | undefined)[] = [];
    for await (const { key, storedAt, remove } of blobs.list(tail)) {
      assert.ok(Math.abs(storedAt - Date.now()) < 60_000);
      if (key === keys[0]) await remove();
      listedKeys.push(key);
    }
    assert.deepEqual(listedKeys, keys);
    await assert.rejects(blobs.get(keys[0] as string), { fault: 'missing' });
  });

  describe('a request to the bucket that fails', () => {
    const key = newId(Date.now());
    const busy = (_request: unknown, response: Parameters<typeof refuse>[0]) => refuse(response, 503, 'SlowDown');
    const disconnect = (request: { destroy(): void }) => request.destroy();
    const silent = () => undefined;

    it('a request to the bucket is repeated, with the whole body, if the service is busy, disconnects or is silent', async () => {
      const patient = { [busy.name]: blobs, [disconnect.name]: blobs, [silent.name]: open({}, { answerMs: 700 }) };
      for (const fault of [busy, disconnect, silent]) {
        server.objects.clear();
        server.next.push(fault as never, fault as never);
        await patient[fault.name]?.put(key, Buffer.alloc(100_000, 5));
        assert.ok(Buffer.alloc(100_000, 5).equals(await read(key)), fault.name);
      }
    });

    it('a request to the bucket is sent four times and then refused with 100010, 503', async () => {
      const before = server.calls.length;
      server.next.push(busy, busy, busy, busy);
      await assert.rejects(blobs.put(key, Buffer.from('x')), { fault: 'unavailable', code: 100010, status: 503 });
      assert.equal(server.calls.length - before, 4);
    });

    it('a request to the bucket is refused with 100010 if nobody listens at the address', async () => {
      const nobody = open({ endpoint: 'http://127.0.0.1:9/images' });
      await assert.rejects(nobody.get(key), { fault: 'unavailable', code: 100010 });
      await assert.rejects(nobody.check(), { fault: 'unavailable' });
    });

    it('a request to the bucket is refused with 100020, 507, and not repeated, if the service is full', async () => {
      for (const [status, word] of [
        [507, 'XMinioStorageFull'],
        [403, 'QuotaExceeded'],
        [507, ''],
      ] as const) {
        const before = server.calls.length;
        server.next.push((_request, response) => refuse(response, status, word));
        await assert.rejects(blobs.put(key, Buffer.from('x')), { fault: 'full', code: 100020, status: 507 });
        assert.equal(server.calls.length - before, 1);
      }
    });

    it('a reader of a blob fails if the service disconnects in the middle, or sends nothing more', async () => {
      const half = (end: 'destroy' | 'wait') => (_request: unknown, response: Parameters<typeof refuse>[0]) => {
        response.writeHead(200, { 'content-length': 100_000 });
        response.write(Buffer.alloc(50_000), () => end === 'destroy' && response.destroy());
      };
      for (const end of ['destroy', 'wait'] as const) {
        server.next.push(half(end));
        const hasty = open({}, { idleMs: 700 });
        await assert.rejects(async () => readWhole(await hasty.get(key)));
      }
    });
  });

  it('the check of a bucket names the fault: the key, the secret, the region, the clock or the bucket', async () => {
    await blobs.check();
    const faults: [Blobs, RegExp][] = [
      [open({ accessKeyId: 'ANOTHER' }), /InvalidAccessKeyId/],
      [open({ secretAccessKey: 'wrong' }), /SignatureDoesNotMatch/],
      [open({ region: 'moon' }), /AuthorizationHeaderMalformed/],
      [open({}, { now: () => Date.now() - 3_600_000 }), /RequestTimeTooSkewed/],
      [open({ endpoint: `${server.endpoint}/another` }), /NoSuchBucket/],
    ];
    for (const [each, words] of faults) {
      const before = server.calls.length;
      await assert.rejects(each.check(), (error: { fault: string; detail: { log: string } }) => {
        assert.equal(error.fault, 'unavailable');
        assert.match(error.detail.log, words);
        return true;
      });
      assert.equal(server.calls.length - before, 1, 'what is refused is not tried again');
    }
  });
});
