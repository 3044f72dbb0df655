import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { AUDREY, FRANCK, FRANCK_TURNED, NO_FACE, picture } from '../../../vision/test/pictures.ts';
import { type EndUser, type Journey, startJourney } from '../../test/end-user.ts';
import { openTestApp, type TestApp, testPlaces } from '../../test/harness.ts';

const BASE = '/api/watchlist-manager/facewatchlists';

/** Waits until image analysis has ended. */
async function submitSelfie(user: EndUser): Promise<Journey> {
  await user.submit('selfie');
  let now = await user.look();
  for (let tries = 0; now.waitingFor === 'check' && tries < 600; tries++) {
    await wait(50);
    now = await user.look();
  }
  return now;
}

/** With real image analysis, and photographs of people. */
describe('watchlists of real faces', () => {
  const places = testPlaces();
  let grove: TestApp;
  let id: string;
  let franck: string;
  before(async () => {
    grove = await openTestApp(await places.create(), { environment: { GROVE_VISION: 'lazy' } });
    id = (await send('', { name: 'wanted' })).body.id;
    const creation = await send(`/${id}/watchlist-members`, { image: base64(FRANCK), lastName: 'Franck' });
    assert.equal(creation.status, 201, creation.text);
    franck = creation.body.id;
    const raw = await addRaw(AUDREY);
    assert.deepEqual([raw.status, raw.body.firstName], [201, 'Audrey'], raw.text);
  });
  after(() => grove.stop());

  const base64 = (name: string) => picture(name).toString('base64');
  const addRaw = (name: string) =>
    grove.call(`${BASE}/${id}/watchlist-member-images?firstName=Audrey`, {
      method: 'POST',
      body: new Uint8Array(picture(name)),
      headers: { 'Content-Type': 'image/jpeg' },
    });
  const send = (path: string, body: object) =>
    grove.call(`${BASE}${path}`, { method: 'POST', body: JSON.stringify(body) });

  it('100101: watchlists of real faces accept no member when they are full', async () => {
    await send(`/${id}`, { maxSize: 2 });
    assert.equal((await addRaw(AUDREY)).body.code, 100101);
  });

  it('watchlists of real faces find a member by another photograph, and nobody else', async () => {
    const { body } = await send(`/${id}/match`, { image: base64(FRANCK_TURNED) });
    assert.deepEqual(
      body.candidates.map(({ memberId, lastName }: { memberId: string; lastName: string }) => [memberId, lastName]),
      [[franck, 'Franck']],
    );
    assert.ok(body.candidates[0].score >= 0.7 && body.candidates[0].score <= 1);
    assert.equal(body.numCompared, 2);
  });

  it('watchlists of real faces refuse a picture without a face with 100102, and store nothing of it', async () => {
    const { status, body } = await send(`/${id}/watchlist-members`, { image: base64(NO_FACE) });
    assert.deepEqual([status, body.code], [400, 100102]);
    for (const path of ['match', `watchlist-members/${franck}`]) {
      assert.equal((await send(`/${id}/${path}`, { image: base64(NO_FACE) })).body.code, 100102, path);
    }
    assert.equal((await addRaw(NO_FACE)).body.code, 100102);
    assert.equal((await grove.call(`${BASE}/${id}`)).body.numMembers, 2);
  });

  it('watchlists of real faces send a journey to a human if its face is on one, and the audit log records the search', async () => {
    const definition = {
      name: 'watching',
      processDefinitionType: 'VERIFICATION',
      steps: [
        { id: 'selfie', type: 'face', key: 'face1', liveness: 'none' },
        { id: 'look', type: 'watchlist', name: 'wanted', face: 'face1' },
        { id: 'decide', type: 'decision', onAnyFailure: 'REVIEW' },
      ],
    };
    const manage = '/api/process-manager/processDefinitions';
    const creation = await grove.call(manage, { method: 'POST', body: JSON.stringify(definition) });
    const deployed = await grove.call(`${manage}/${creation.body.id}/deploy`, { method: 'POST' });
    assert.equal(deployed.status, 200, deployed.text);
    const { user, processInstanceId } = await startJourney(grove, grove.apiKey, { processDefnName: 'watching' });
    const body = new Uint8Array(picture(FRANCK_TURNED));
    const upload = { method: 'POST', body, headers: { 'content-type': 'image/jpeg' } };
    assert.equal((await user.call('/steps/selfie/images/image', upload)).status, 200);
    const now = await submitSelfie(user);
    assert.equal(now.status, 'REVIEW', JSON.stringify(now));
    const place = `/api/userdata-server/processDefinitions/${creation.body.id}/processInstances/${processInstanceId}`;
    const { body: checks } = await grove.call(`${place}/userdata/checks`);
    const check = checks.find(({ name }: { name: string }) => name === 'watchlist');
    assert.equal(check.status, 'REVIEW');
    assert.deepEqual(
      check.metaData.candidates.map(({ memberId }: { memberId: string }) => memberId),
      [franck],
    );
    const { body: audit } = await grove.call(
      `/api/process-manager/auditEvents?action=watchlist.searched&processInstanceId=${processInstanceId}`,
    );
    assert.deepEqual(
      audit.content.map(({ item, actor }: { item: string; actor: string }) => [item, actor]),
      [[id, 'Watchlist step']],
    );
  });

  it('watchlists of real faces are searched by journeys of the sandbox, which have lists of their own', async () => {
    const { apiKey } = await grove.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' });
    const token = await grove.token(apiKey);
    const post = (path: string, body: object) =>
      grove.call(`${BASE}${path}`, { method: 'POST', body: JSON.stringify(body), token });
    const list = (await post('', { name: 'wanted' })).body.id;
    const member = await post(`/${list}/watchlist-members`, { image: base64(FRANCK) });
    assert.equal(member.status, 201, member.text);
    const candidatesFor = async (name: string) => {
      const { user, processInstanceId } = await startJourney(grove, apiKey, { processDefnName: 'watching' });
      const upload = { method: 'POST', body: new Uint8Array(picture(name)), headers: { 'content-type': 'image/jpeg' } };
      assert.equal((await user.call('/steps/selfie/images/image', upload)).status, 200);
      await submitSelfie(user);
      const { processDefnId } = (
        await grove.call(`/api/process-manager/processInstances/${processInstanceId}`, { token })
      ).body;
      const place = `/api/userdata-server/processDefinitions/${processDefnId}/processInstances/${processInstanceId}`;
      const { body: checks } = await grove.call(`${place}/userdata/checks`, { token });
      const { status, metaData } = checks.find((check: { name: string }) => check.name === 'watchlist');
      return [status, ...metaData.candidates.map(({ memberId }: { memberId: string }) => memberId)];
    };
    assert.deepEqual(await candidatesFor(FRANCK_TURNED), ['REVIEW', member.body.id]);
    assert.deepEqual(await candidatesFor(AUDREY), ['PASSED'], 'she is on the live list alone');
  });
});
