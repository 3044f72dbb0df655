import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AUDREY, FRANCK, FRANCK_EYES_CLOSED, NO_FACE, picture } from '../../../../vision/test/pictures.ts';
import { openTestApp, type TestApp, testPlaces } from '../../../test/harness.ts';

/** Runs with real image analysis and photographs, on one database only. */
describe('faces of users, with real image analysis', () => {
  const places = testPlaces();
  let grove: TestApp;
  const users = '/api/identity-store/stores/real/users';

  before(async () => {
    grove = await openTestApp(await places.create(), { environment: { GROVE_VISION: 'lazy' } });
    await post('/api/identity-store/stores', { name: 'real' });
    await post(users, { extId: 'franck' });
  });
  after(() => grove.stop());

  const post = (path: string, body: object) => grove.call(path, { method: 'POST', body: JSON.stringify(body) });
  const dataOf = (name: string) => picture(name).toString('base64');
  const match = (name: string, more: object = {}) =>
    post(`${users}/franck/biometrics/authentications/face/ext`, {
      data: dataOf(name),
      matchingProcess: { algorithm: 'GROVE_FACE_512_1', threshold: 0.5, ...more },
    });

  it('an enrolled face matches another photograph of the same man, and not that of a woman', async () => {
    const enrolled = await post(`${users}/franck/biometrics/face/ext`, { data: dataOf(FRANCK) });
    assert.equal(enrolled.status, 200, enrolled.text);
    const again = await match(FRANCK_EYES_CLOSED);
    assert.equal(again.status, 200, again.text);
    assert.ok(again.body.score > 0.5 && again.body.score < 1, String(again.body.score));
    assert.equal(again.body.score, Math.round(again.body.score * 100) / 100);
    const other = await match(AUDREY);
    assert.deepEqual([other.status, other.body.code], [400, 100140]);
    assert.equal((await match(FRANCK, { threshold: 0.99, internalThreshold: 0.99 })).status, 200);
  });

  it('a picture without a face is neither enrolled nor matched', async () => {
    const { body } = await post(`${users}/franck/biometrics/face/ext`, { data: dataOf(NO_FACE) });
    assert.equal(body.code, 20120);
    assert.match(body.message, /no_face/);
    assert.equal((await match(NO_FACE)).body.code, 20120);
    const { body: half } = await post(`${users}/franck/biometrics/face/ext`, {
      data: picture(FRANCK).subarray(0, 2000).toString('base64'),
    });
    assert.equal(half.code, 20120);
  });
});
