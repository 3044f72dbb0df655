import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { encodeTemplate, facePack } from '@grove/vision/templates';
import sharp from 'sharp';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import type { TenantDb } from '../../db/db.ts';
import { openBlobs } from '../../engines/blobs/open.ts';
import type { VisionImage } from '../../engines/vision/vision.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { instanceSubject } from '../instances/instance-subject.ts';
import { findFace, saveFace } from './faces.repository.ts';
import { faceContext } from './known-faces.ts';
import { reEnrolFaces } from './re-enrol.ts';

const DEFINITION = {
  name: 'once-only',
  processDefinitionType: 'VERIFICATION',
  steps: [
    { id: 'selfie', type: 'face', key: 'face1', liveness: 'none' },
    { id: 'twice', type: 'duplicate', face: 'face1' },
    { id: 'decide', type: 'decision', onAnyFailure: 'FAIL', onUncertain: 'REVIEW' },
  ],
};
const [former, now] = [facePack('faceplugin'), facePack('intel-0095')];
const unit = (length: number) => Float32Array.from({ length }, (_, at) => +(at === 0));
const OLD = encodeTemplate({ ...former, vector: unit(512) });
const NEW = encodeTemplate({ ...now, vector: unit(256) });

onBothEngines('faces after a change of the face pack', (_engine, places) => {
  let app: TestApp;
  let db: TenantDb;
  let selfie: Buffer;
  before(async () => {
    app = await openTestApp(await places.create());
    db = app.app.db.of(asTenantId('acme'));
    const definition = await app.client.processDefinitions.create({ body: DEFINITION as never });
    await app.call(`/api/process-manager/processDefinitions/${definition.id}/deploy`, { method: 'POST' });
    const grey = { create: { width: 320, height: 240, channels: 3 as const, background: '#777' } };
    selfie = await sharp(grey).jpeg().toBuffer();
  });
  after(() => app.stop());

  /** A journey with a selfie, and its face as the previous pack computed it. */
  const journeyWithFace = async () => {
    const { user, processInstanceId: instanceId } = await startJourney(app, app.apiKey, {
      processDefnName: 'once-only',
    });
    const headers = { 'content-type': 'image/jpeg' };
    const answer = await user.call('/steps/selfie/images/image', { method: 'POST', body: selfie as never, headers });
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await user.submit('selfie')).status, 200);
    await user.settled();
    await keep(instanceId);
    return instanceId;
  };
  const keep = (instanceId: string, created = app.clock.now()) =>
    db.write(async (tx) => {
      const sealed = await app.app.vault.sealFor(tx, instanceSubject(instanceId), faceContext('twice'), OLD);
      const face = {
        instance_id: instanceId,
        step: 'twice',
        environment: 'live',
        algorithm: former.algorithm,
      } as const;
      saveFace(tx, { ...face, sealed, created_at: created });
    });
  const algorithmOf = async (instanceId: string) => (await findFace(db, { instanceId, step: 'twice' }))?.algorithm;
  const run = (look: (image: VisionImage) => Promise<Buffer | undefined>, signal = new AbortController().signal) => {
    const faceTemplate = async (image: VisionImage) => {
      const template = await look(image);
      return template ? { template, quality: 1, reasons: [] } : { template: undefined, reason: 'no_face' };
    };
    const machine = { algorithm: now.algorithm, faceTemplate };
    const deps = { vault: app.app.vault, blobs: openBlobs(app.config, app.clock), machine };
    return reEnrolFaces(deps, db, { signal, onProgress: () => undefined });
  };

  it('after a change of the face pack, faces are computed again from the images of their instances, once', async () => {
    const ids = [await journeyWithFace(), await journeyWithFace()];
    const widths: number[] = [];
    const faceTemplate = async (image: VisionImage) => {
      widths.push((await sharp(await image.read()).metadata()).width ?? 0);
      return NEW;
    };
    assert.deepEqual(await run(faceTemplate), { done: 2, withoutImage: 0, withoutFace: 0 });
    assert.deepEqual(widths, [320, 320]);
    for (const id of ids) assert.equal(await algorithmOf(id), now.algorithm);
    assert.deepEqual(await run(faceTemplate), { done: 0, withoutImage: 0, withoutFace: 0 });
  });

  it('after a change of the face pack, instances without a face or an image do not change, and are counted', async () => {
    const id = await journeyWithFace();
    assert.deepEqual(await run(async () => undefined), { done: 0, withoutImage: 0, withoutFace: 1 });
    const bare = (await startJourney(app, app.apiKey, { processDefnName: 'once-only' })).processInstanceId;
    await keep(bare);
    assert.deepEqual(await run(async () => NEW), { done: 1, withoutImage: 1, withoutFace: 0 });
    assert.deepEqual([await algorithmOf(id), await algorithmOf(bare)], [now.algorithm, former.algorithm]);
    await app.call(`/api/process-manager/processInstances/${bare}`, { method: 'DELETE' });
  });

  it('after a change of the face pack, a face that a request changed meanwhile is not overwritten', async () => {
    const id = await journeyWithFace();
    app.clock.advance(1);
    await run(async () => {
      await keep(id);
      return NEW;
    });
    assert.equal(await algorithmOf(id), former.algorithm);
    await run(async () => NEW);
    assert.equal(await algorithmOf(id), now.algorithm);
  });

  it('after a change of the face pack, faces that were not reached before a stop are computed by the next run', async () => {
    const ids = [await journeyWithFace(), await journeyWithFace()];
    const stop = new AbortController();
    const once = async () => {
      stop.abort(new Error('stopped'));
      return NEW;
    };
    await assert.rejects(run(once, stop.signal), /stopped/);
    assert.equal((await Promise.all(ids.map(algorithmOf))).filter((each) => each === now.algorithm).length, 1);
    assert.equal((await run(async () => NEW)).done, 1);
  });
});
