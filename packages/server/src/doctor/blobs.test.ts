import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { S3_KEY, S3_REGION, type S3Server, startS3 } from '../../test/s3-server.ts';
import { readConfig } from '../config.ts';
import { systemClock } from '../kernel/clock.ts';
import { checkBlobs } from './blobs.ts';

describe('doctor about the place of the images', () => {
  let folder: string;
  let server: S3Server;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'grove-doctor-'));
    server = await startS3('images');
  });
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const check = (environment: Record<string, string>) =>
    checkBlobs(readConfig({ GROVE_DATA: folder, ...environment }), systemClock);

  it('doctor accepts a folder for images, warns of one on PostgreSQL, which several servers must share, and reports one that cannot be used', async () => {
    assert.equal((await check({})).state, 'ok');
    assert.equal((await check({ DATABASE_URL: 'postgres://grove@db/grove' })).state, 'warning');
    writeFileSync(join(folder, 'file'), '');
    const { state, message } = await check({ BLOB_URL: `file://${folder}/file/blobs` });
    assert.equal(state, 'fault');
    assert.match(message, /ENOTDIR/);
  });

  it('doctor accepts a bucket for images that answers, and otherwise names the fault without a secret', async () => {
    const bucket = (name: string, secret: string) => ({
      BLOB_URL: `s3://${name}/prefix?region=${S3_REGION}&endpoint=${server.endpoint}`,
      AWS_ACCESS_KEY_ID: S3_KEY.accessKeyId,
      AWS_SECRET_ACCESS_KEY: secret,
    });
    const { state, message } = await check(bucket('images', S3_KEY.secretAccessKey));
    assert.equal(state, 'ok');
    assert.match(message, /^Images are kept in the bucket images at 127\.0\.0\.1:\d+\.$/);
    const wrong = await check(bucket('images', 'hunter2'));
    assert.equal(wrong.state, 'fault');
    assert.match(wrong.message, /it answered 403 SignatureDoesNotMatch/);
    assert.doesNotMatch(JSON.stringify(wrong), /hunter2/);
    assert.match((await check(bucket('another', S3_KEY.secretAccessKey))).message, /NoSuchBucket/);
  });
});
