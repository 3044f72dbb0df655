import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { readConfig } from '../../config.ts';
import { systemClock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { openBlobs } from './open.ts';

/** A store that others wrote. TEST_S3_URL is as BLOB_URL, with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY beside it. */
const { TEST_S3_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
const skip = TEST_S3_URL ? false : 'no S3 server is there: TEST_S3_URL names none';

describe('blobs in a real bucket', { skip }, () => {
  it('are put, listed, read and deleted as in ours', async () => {
    const config = readConfig({ BLOB_URL: TEST_S3_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY });
    const blobs = openBlobs(config, systemClock);
    await blobs.check();
    const key = newId(Date.now());
    for (const bytes of [randomBytes(5_000_000), Buffer.alloc(0), randomBytes(100)]) {
      await blobs.put(key, bytes);
      assert.ok(bytes.equals(await buffer(await blobs.get(key))));
    }
    const listed = await Array.fromAsync(blobs.list(key.slice(-2)));
    const found = listed.find((each) => each.key === key);
    assert.ok(found && Math.abs(found.storedAt - Date.now()) < 600_000);
    await blobs.delete(key);
    await blobs.delete(key);
    await assert.rejects(blobs.get(key), { fault: 'missing' });
  });

  it('refuse a wrong secret', async () => {
    const config = readConfig({ BLOB_URL: TEST_S3_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: 'wrong' });
    await assert.rejects(openBlobs(config, systemClock).check(), { fault: 'unavailable' });
  });
});
