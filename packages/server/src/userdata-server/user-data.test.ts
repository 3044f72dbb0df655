import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startJourney } from '../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../test/harness.ts';
import { PNG } from '../../test/images.ts';

onBothEngines('user data', (_engine, places) => {
  let app: TestApp;
  let testKey: string;
  let token: string;
  let place: string;
  let started: Awaited<ReturnType<typeof startJourney>>;

  before(async () => {
    app = await openTestApp(await places.create());
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
    token = await app.token(testKey);
    started = await startJourney(app, testKey, { parameters: { _scenario: 'document-blurred-once' } });
    const { user } = started;
    await user.submit('consent', { accepted: true });
    await user.upload('document', 'front', { first: 'attempt' });
    await user.submit('document');
    await user.settled();
    const image = { method: 'POST', body: PNG, headers: { 'content-type': 'image/png' } };
    assert.equal((await user.call('/steps/document/images/front', image)).status, 200);
    await user.submit('document');
    await user.finish();
    place = await placeOf(started.processInstanceId);
  });
  after(() => app.stop());

  const placeOf = async (id: string) => {
    const { body } = await app.call(`/api/process-manager/processInstances/${id}`, { token });
    return `/api/userdata-server/processDefinitions/${body.processDefnId}/processInstances/${id}`;
  };
  const read = (path: string, headers: Record<string, string> = {}) => app.call(`${place}${path}`, { token, headers });

  it('user data shows documents, faces, forms, the results of the steps and the decision, with images as references', async () => {
    const { status, body } = await read('/userdata');
    assert.equal(status, 200);
    assert.equal(body.documents.doc1.documentType, 'PASSPORT');
    assert.deepEqual(body.documents.doc1.images.front, {
      path: 'documents/doc1/front/uncropped',
      contentType: 'image/jpeg',
    });
    assert.equal(body.faces.face1.image.path, 'faces/face1/image');
    assert.equal(body.forms.consent.accepted, true);
    assert.equal(body._checks.document.attempts, 2);
    assert.equal(body._decision, 'PASS');
  });

  it('user data omits the images with the parameter optimized', async () => {
    const { body } = await read('/userdata?optimized=true');
    assert.deepEqual(body.documents.doc1.images, {});
    const { biographicData } = body.documents.doc1;
    const valuesOf = (name: string) =>
      biographicData.find(({ fieldName }: { fieldName: string }) => fieldName === name).values;
    assert.deepEqual(valuesOf('Date Of Birth'), { visualZoneValue: '12 AUG 1974', mrzValue: '1974-08-12' });
    assert.deepEqual(valuesOf('Issuing State'), { mrzValue: 'UTO' });
  });

  it('user data returns an item as base64 in JSON, and as an image to a caller that accepts only images', async () => {
    const path = '/getdata?path=documents/doc1/front/uncropped';
    const { body } = await read(path);
    assert.equal(body.contentType, 'image/jpeg');
    const jpeg = Buffer.from(body.data, 'base64');
    assert.equal(jpeg.subarray(0, 3).toString('hex'), 'ffd8ff');
    const raw = await fetch(`${app.baseUrl}${place}${path}`, {
      headers: { Authorization: `Bearer ${token}`, Accept: 'image/*' },
    });
    assert.equal(raw.headers.get('content-type'), 'image/jpeg');
    assert.equal(raw.headers.get('content-length'), String(jpeg.length));
    assert.equal(raw.headers.get('content-disposition'), 'attachment');
    assert.equal(raw.headers.get('cache-control'), 'no-store');
    assert.ok(Buffer.from(await raw.arrayBuffer()).equals(jpeg));
  });

  it('user data includes the images cut out of a photograph: the document and the portrait', async () => {
    const { images } = (await read('/userdata')).body.documents.doc1;
    assert.deepEqual(Object.keys(images).toSorted(), ['front', 'front.cropped', 'portrait']);
    for (const path of ['documents/doc1/front/cropped', 'documents/doc1/portrait']) {
      const { status, body } = await read(`/getdata?path=${path}`);
      assert.deepEqual([status, body.contentType], [200, 'image/jpeg'], path);
    }
  });

  it('user data refuses with 100026 a path that is not an item, in any spelling', async () => {
    const paths = [
      'documents/doc1/back/cropped',
      'documents/doc1/front',
      'documents/doc1/../doc1/front/uncropped',
      '../../etc/passwd',
      '/documents/doc1/front/uncropped',
      'documents/doc1/front/uncropped/',
      'documents%2Fdoc1%2Ffront%2Funcropped',
      'documents\\doc1\\front\\uncropped',
      'Documents/doc1/front/uncropped',
      'documents/__proto__/front/uncropped',
      'faces/face1/frame1',
    ];
    for (const path of paths) {
      const { status, body } = await read(`/getdata?path=${encodeURIComponent(path)}`);
      assert.deepEqual([status, body.code], [400, 100026], path);
    }
    assert.equal((await read('/getdata')).body.code, 100001);
  });

  it('user data lists the checks of the last attempt of each step', async () => {
    const { body } = await read('/userdata/checks');
    const quality = body.find(({ id }: { id: string }) => id === 'document/documentQuality');
    assert.equal(quality.status, 'PASSED');
    assert.equal(quality.attempts, 2);
    assert.ok(quality.metaData.measures.sharpness > 0);
    assert.equal(new Set(body.map(({ id }: { id: string }) => id)).size, body.length);
  });

  it('user data answers 100022 for an instance of another definition, another environment or another tenant', async () => {
    const [definitions = '', instanceId] = place.split('/processInstances/');
    const otherDefinition = `${definitions.slice(0, -26)}${instanceId}/processInstances/${instanceId}`;
    for (const path of ['/userdata', '/userdata/checks', '/getdata?path=faces/face1/image']) {
      assert.equal((await app.call(`${otherDefinition}${path}`, { token })).body.code, 100022, path);
      assert.equal((await app.call(`${place}${path}`)).body.code, 100022, path);
      const { apiKey } = await app.app.tenants.create({ id: `other-${path.length}-${Date.now()}` });
      assert.equal((await app.call(`${place}${path}`, { token: await app.token(apiKey) })).body.code, 100022, path);
    }
  });

  it('user data is deleted together with its instance: neither rows nor blobs are left', async () => {
    const { processInstanceId, user } = await startJourney(app, testKey);
    await user.finish();
    const there = await placeOf(processInstanceId);
    const db = app.app.db.of('acme' as never);
    const blobs = await db.all<{ blob_key: string }>(
      { text: 'SELECT blob_key FROM instance_images WHERE tenant_id = $1 AND instance_id = $2' },
      ['acme', processInstanceId],
    );
    assert.equal(blobs.length, 4, 'the front, what was cut out of it twice, and the selfie');
    await app.call(`/api/process-manager/processInstances/${processInstanceId}`, { method: 'DELETE', token });
    assert.equal((await app.call(`${there}/userdata`, { token })).body.code, 100022);
    const { openFolder } = await import('../engines/blobs/folder.ts');
    const folder = openFolder(app.config.blobFolder);
    const isThere = async ({ blob_key }: { blob_key: string }) => {
      const blob = await folder.get(blob_key).catch(() => undefined);
      await blob?.close();
      return blob !== undefined;
    };
    // The application may already be running the job, which then is no longer due.
    for (let tries = 0; tries < 200 && (await Promise.all(blobs.map(isThere))).includes(true); tries++) {
      await app.app.jobs.runDue();
      await wait(10);
    }
    for (const { blob_key } of blobs) await assert.rejects(folder.get(blob_key));
  });
});
