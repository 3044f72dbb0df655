import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { startJourney } from '../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../test/harness.ts';
import { PNG } from '../../test/images.ts';
import { verifySigned } from '../../test/signed.ts';
import { unzip } from '../../test/unzip.ts';
import { HOUR } from '../kernel/clock.ts';

onBothEngines('the archive and the signed result of an instance', (_engine, places) => {
  let app: TestApp;
  let testKey: string;
  let token: string;
  let id: string;
  let place: string;

  before(async () => {
    app = await openTestApp(await places.create());
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'archivist', environment: 'test' })).apiKey;
    token = await app.token(testKey);
    ({ id, place } = await finished());
  });
  after(() => app.stop());

  /** A journey with two images, one of them a real JPEG. */
  const finished = async () => {
    const { user, processInstanceId } = await startJourney(app, testKey, { parameters: { firstName: 'Unmistakable' } });
    await user.submit('consent', { accepted: true });
    const image = { method: 'POST', body: PNG, headers: { 'content-type': 'image/png' } };
    assert.equal((await user.call('/steps/document/images/front', image)).status, 200);
    await user.submit('document');
    await user.finish();
    const { body } = await app.call(`/api/process-manager/processInstances/${processInstanceId}`, { token });
    const at = `/api/userdata-server/processDefinitions/${body.processDefnId}/processInstances/${processInstanceId}`;
    return { id: processInstanceId, place: at };
  };

  const download = async (from = place) => {
    const answer = await fetch(`${app.baseUrl}${from}/userdataarchive`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
    });
    assert.equal(answer.status, 200);
    return { answer, entries: await unzip(Buffer.from(await answer.arrayBuffer())) };
  };

  it('the archive of an instance is a zip of the answers of other reads, with the images under their paths, in a fixed order', async () => {
    const { answer, entries } = await download();
    assert.equal(answer.headers.get('content-type'), 'application/zip');
    assert.equal(answer.headers.get('content-disposition'), `attachment; filename="${id}.zip"`);
    assert.deepEqual(
      [...entries.keys()],
      [
        'instance.json',
        'userdata.json',
        'checks.json',
        'events.json',
        'sessions.json',
        'notes.json',
        'documents/doc1/front/cropped.jpg',
        'documents/doc1/front/uncropped.jpg',
        'documents/doc1/portrait.jpg',
        'faces/face1/image.json',
        'manifest.json',
        'manifest.jws',
      ],
    );
    const images = [...entries].filter(([path]) => /^(documents|faces)/.test(path)).map(([, bytes]) => bytes.length);
    const sum = images.reduce((one, other) => one + other);
    assert.equal(answer.headers.get('x-expected-bytes'), String(sum), 'whoever downloads it can show a percentage');
    const json = (path: string) => JSON.parse(String(entries.get(path)));
    const read = async (path: string) => (await app.call(`${place}${path}`, { token })).body;
    assert.equal(json('instance.json').firstName, 'Unmistakable');
    assert.equal(json('instance.json').processTokenParameters.firstName, 'Unmistakable');
    assert.equal(json('sessions.json').length, 1);
    assert.deepEqual(json('userdata.json'), await read('/userdata'));
    assert.deepEqual(json('checks.json'), await read('/userdata/checks'));
    const events = await app.call(`/api/process-manager/processInstances/${id}/events?size=100`, { token });
    assert.deepEqual(json('events.json'), events.body.content);
    const item = await read('/getdata?path=documents/doc1/front/uncropped');
    assert.equal(entries.get('documents/doc1/front/uncropped.jpg')?.toString('base64'), item.data);
  });

  it('the archive of an instance has a manifest of every entry, which the published keys verify and which no other bytes match', async () => {
    const { entries } = await download();
    const bytes = entries.get('manifest.json') as Buffer;
    const manifest = JSON.parse(String(bytes));
    const { header } = await verifySigned(app, String(entries.get('manifest.jws')), bytes);
    assert.deepEqual([header.alg, header.typ], ['EdDSA', 'grove-manifest+jws']);
    await assert.rejects(
      verifySigned(app, String(entries.get('manifest.jws')), Buffer.concat([bytes, Buffer.from(' ')])),
      /signature is wrong/,
    );
    const { processInstanceId, tenantId, environment, status } = manifest;
    assert.deepEqual([processInstanceId, tenantId, environment], [id, 'acme', 'test']);
    assert.equal(status, 'COMPLETED_ENDED_SUCCESS');
    assert.match(manifest.versions.grove, /^\d+\.\d+\.\d+/);
    assert.deepEqual(
      manifest.entries.map(({ path }: { path: string }) => path),
      [...entries.keys()].slice(0, -2),
    );
    for (const { path, bytes: size, sha256 } of manifest.entries) {
      const content = entries.get(path) as Buffer;
      assert.equal(content.length, size, path);
      assert.equal(createHash('sha256').update(content).digest('hex'), sha256, path);
    }
  });

  it('the archive of an instance is aborted, and is not a complete zip, if an image cannot be read', async () => {
    const broken = await finished();
    const [{ blob_key: key } = { blob_key: '' }] = await app.app.db
      .of('acme' as never)
      .all<{ blob_key: string }>(
        { text: "SELECT blob_key FROM instance_images WHERE tenant_id = $1 AND instance_id = $2 AND step = 'selfie'" },
        ['acme', broken.id],
      );
    rmSync(join(app.config.blobFolder, key.slice(-2), key.slice(-4, -2), key));
    await assert.rejects(download(broken.place));
  });

  it('the archive of an instance answers 100022 for another definition, another environment or another tenant', async () => {
    const [definitions = '', instanceId] = place.split('/processInstances/');
    const other = `${definitions.slice(0, -26)}${instanceId}/processInstances/${instanceId}`;
    const { apiKey } = await app.app.tenants.create({ id: `other-${Date.now()}` });
    const stranger = await app.token(apiKey);
    for (const path of ['/userdataarchive', '/signedResult']) {
      const post = (at: string, bearer?: string) =>
        app.call(`${at}${path}`, { method: 'POST', ...(bearer && { token: bearer }) });
      assert.equal((await post(other, token)).body.code, 100022, path);
      assert.equal((await post(place)).body.code, 100022, path);
      assert.equal((await post(place, stranger)).body.code, 100022, path);
    }
  });

  it('the signed result of an instance can be verified with the published keys, contains no personal data, and is no bearer token', async () => {
    const { status, body, text } = await app.call(`${place}/signedResult`, { method: 'POST', token });
    assert.equal(status, 200);
    const { header, payload } = await verifySigned(app, body.jws);
    assert.deepEqual([header.typ, header.kid], ['grove-result+jwt', body.kid]);
    const claims = JSON.parse(String(payload));
    assert.deepEqual(Object.keys(claims), [
      'iss',
      'aud',
      'sub',
      'iat',
      'processDefnId',
      'processDefnName',
      'processDefnVersion',
      'environment',
      'status',
      'decision',
      'completedDtm',
      'checks',
      'assurance',
    ]);
    assert.deepEqual([claims.aud, claims.sub, claims.decision], ['acme', id, 'PASS']);
    assert.ok(claims.checks.length > 0);
    const members = new Set(claims.checks.flatMap((check: object) => Object.keys(check)));
    assert.deepEqual([...members], ['step', 'name', 'status', 'reason']);
    const { level, decidedBy, simulated, presentationAttack } = claims.assurance;
    assert.deepEqual([level, decidedBy, simulated], ['basic', 'machine', true]);
    assert.deepEqual(presentationAttack, {
      assessed: true,
      method: 'challenge',
      status: 'PASSED',
      reason: 'challenge_answered',
      countsFor: ['basic', 'substantial'],
      measured: [],
    });
    assert.doesNotMatch(text + String(payload), /Unmistakable/);
    assert.equal((await app.call(`${place}/userdata`, { token: body.jws })).status, 401);
  });

  it('the signed result of an instance can still be verified long after its key was replaced, while tokens of that key are refused with 276', async () => {
    const { body } = await app.call(`${place}/signedResult`, { method: 'POST', token });
    const unseen = await app.token(testKey);
    const before = app.clock.now();
    await app.app.signing.rotate();
    app.clock.advance(100 * 24 * HOUR);
    await app.app.signing.reload();
    await verifySigned(app, body.jws);
    assert.equal((await app.call(`${place}/userdata`, { token: unseen })).body.code, 276);
    assert.equal(await app.app.signing.find(body.kid), undefined);
    app.clock.set(before);
    await app.app.signing.reload();
  });
});
