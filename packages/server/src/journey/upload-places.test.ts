import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type EndUser, startJourney } from '../../test/end-user.ts';
import { openTestApp, type TestApp, testPlaces } from '../../test/harness.ts';
import { noise, PNG } from '../../test/images.ts';
import { refuse, S3_KEY, S3_REGION, startS3 } from '../../test/s3-server.ts';

const IMAGE = await noise(400, 300).jpeg().toBuffer();

/** A sandbox journey that waits for its document. */
async function atDocument(app: TestApp): Promise<{ user: EndUser; token: string }> {
  const { apiKey } = await app.app.tenants.createApiKey('acme', { name: `k${Math.random()}`, environment: 'test' });
  const { user, token } = await startJourney(app, apiKey);
  await user.submit('consent', { accepted: true });
  return { user, token };
}

const upload = (user: EndUser, body: Uint8Array, type: string) =>
  user.call('/steps/document/images/front', {
    method: 'POST',
    body: body as unknown as BodyInit,
    headers: { 'content-type': type },
  });

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());

describe('images on a disk', () => {
  const places = testPlaces();

  it('100020: an image is refused with 507 while the disk is full, leaves nothing behind, and is accepted again once there is room', async (t) => {
    const place = await places.create();
    const small = join(place.folder, 'small');
    mkdirSync(small);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', small]).status === 0;
    if (!mounted) return t.skip('no small disk can be mounted here');
    const app = await openTestApp(place, { environment: { BLOB_URL: `file://${small}/blobs` } });
    try {
      const { user } = await atDocument(app);
      writeFileSync(join(small, 'in-the-way'), Buffer.alloc(480_000));
      const { status, body } = await upload(user, IMAGE, 'image/jpeg');
      assert.deepEqual([status, body.code], [507, 100020]);
      assert.deepEqual((await user.look()).step.images, []);
      assert.equal(filesBelow(join(small, 'blobs')).length, 0);
      rmSync(join(small, 'in-the-way'));
      assert.equal((await upload(user, IMAGE, 'image/jpeg')).status, 200);
      assert.deepEqual((await user.look()).step.images, ['front']);
    } finally {
      await app.stop();
      spawnSync('umount', [small]);
    }
  });
});

describe('images in a bucket', () => {
  const places = testPlaces();
  const stops: (() => Promise<unknown>)[] = [];
  after(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  it('images in a bucket are stored sealed, read and deleted there; 100010 while it is unavailable, 100290 if it has lost one', async () => {
    const server = await startS3('images');
    stops.push(() => server.stop());
    const app = await openTestApp(await places.create(), {
      environment: {
        BLOB_URL: `s3://images/grove?region=${S3_REGION}&endpoint=${server.endpoint}`,
        AWS_ACCESS_KEY_ID: S3_KEY.accessKeyId,
        AWS_SECRET_ACCESS_KEY: S3_KEY.secretAccessKey,
      },
    });
    stops.push(() => app.stop());
    const { user, token } = await atDocument(app);
    const busy = () => server.next.push((_request, response) => refuse(response, 503, 'SlowDown'));
    for (let tries = 0; tries < 4; tries++) busy();
    const away = await upload(user, PNG, 'image/png');
    assert.deepEqual([away.status, away.body.code, away.headers.get('retry-after')], [503, 100010, '5']);
    assert.equal(server.objects.size, 0);

    busy();
    assert.equal((await upload(user, PNG, 'image/png')).status, 200);
    assert.equal(server.objects.size, 1);
    const [stored] = [...server.objects.values()].map(({ bytes }) => bytes) as [Buffer];
    await user.submit('document');
    await user.finish();
    const { processInstanceId } = user;
    const { body } = await app.call(`/api/process-manager/processInstances/${processInstanceId}`, { token });
    const place = `/api/userdata-server/processDefinitions/${body.processDefnId}/processInstances/${processInstanceId}`;
    const read = await app.call(`${place}/getdata?path=documents/doc1/front/uncropped`, { token });
    assert.equal(read.body.contentType, 'image/jpeg');
    const image = Buffer.from(read.body.data, 'base64');
    assert.deepEqual(image.subarray(0, 3), Buffer.from([0xff, 0xd8, 0xff]));
    for (let at = 0; at + 16 < image.length; at += 16)
      assert.ok(!stored.includes(image.subarray(at, at + 16)), 'sealed');
    server.objects.clear();
    const answer = await app.call(`${place}/getdata?path=documents/doc1/front/uncropped`, { token });
    assert.deepEqual([answer.status, answer.body.code], [500, 100290]);
    await app.call(`/api/process-manager/processInstances/${processInstanceId}`, { method: 'DELETE', token });
    await app.app.jobs.runDue();
    // The record of the erasure is stored beside the images.
    const images = [...server.objects.keys()].filter((key) => !key.includes('erased/'));
    assert.deepEqual(images, []);
  });
});
