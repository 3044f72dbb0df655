import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeSpecimen } from '@grove/vision';
import sharp from 'sharp';
import { IS_LONG } from '../../../../../scripts/long.ts';
import { openRecording, PORTRAIT_AT, type Recording } from '../../../../vision/test/recording.ts';
import { openChallengePage } from '../../../test/challenge.ts';
import { type EndUser, startJourney } from '../../../test/end-user.ts';
import { openTestApp, type TestApp, testPlaces } from '../../../test/harness.ts';

/** Shipped definitions in the live environment, with real image analysis, from the first page to the result. */
const HOLDER = { surname: 'Byrne', givenNames: 'Adam', birthDate: '1984-05-06' };
const EXPECTED = { firstName: 'Adam', lastName: 'Byrne', dateOfBirth: '1984-05-06' };
const DETAILS = { address: '1 Harbour Street, Dublin', country: 'Ireland' };

describe('a shipped definition in the live environment', () => {
  const places = testPlaces();
  let app: TestApp;
  let recording: Recording;
  let passport: Buffer;

  before(async () => {
    app = await openTestApp(await places.create(), { environment: { GROVE_VISION: 'lazy' } });
    recording = await openRecording();
    const cut = { left: 120, top: 60, width: 170, height: 217 };
    const portrait = await sharp(recording.at(PORTRAIT_AT)).extract(cut).jpeg().toBuffer();
    const person = { issueDate: '2020-01-01', expiryDate: '2029-12-31', ...HOLDER };
    const photograph = { tilt: 4, yaw: 5, noise: 2 };
    passport = (await makeSpecimen({ kind: 'passport', seed: 3, person, portrait, photograph })).jpeg;
    await app.client.processSettings.update({ body: { redirectOrigins: [], allowSpecimens: true } });
  });
  after(() => app.stop());

  const submit = async (user: EndUser, step: string, result: object = {}) => {
    const { status, text } = await user.submit(step, result);
    assert.equal(status, 200, text);
    return user.settled(app.clock);
  };
  const run = async (processDefnName: string, parameters: Record<string, string>) => {
    const { user, token, processInstanceId: id } = await startJourney(app, app.apiKey, { processDefnName, parameters });
    await submit(user, 'consent', { accepted: true });
    const image = { method: 'POST', body: passport as never, headers: { 'content-type': 'image/jpeg' } };
    assert.equal((await user.call('/steps/document/images/front', image)).status, 200);
    const { step } = await submit(user, 'document');
    if (step?.type === 'form') await submit(user, 'details', DETAILS);
    const { challengeId, state } = await openChallengePage(user, 'selfie', app.clock).answer(recording.actor().frame);
    assert.equal(state, 'DONE');
    await submit(user, 'selfie', { challengeId });
    return { id, token, ...(await read(id, token)) };
  };
  const read = async (id: string, token: string) => {
    const { processDefnId, status } = (await app.call(`/api/process-manager/processInstances/${id}`, { token })).body;
    const place = `/api/userdata-server/processDefinitions/${processDefnId}/processInstances/${id}`;
    const { _assurance: assurance } = (await app.call(`${place}/userdata?optimized=true`, { token })).body;
    return { status, assurance };
  };

  it('age-check accepts the holder of the passport who answers the challenge, and names its level of assurance', async () => {
    const { status, assurance } = await run('age-check', EXPECTED);
    assert.equal(status, 'COMPLETED_ENDED_SUCCESS', JSON.stringify(assurance));
    assert.deepEqual(
      [assurance.level, assurance.decidedBy, assurance.simulated, assurance.missing],
      ['basic', 'machine', false, []],
    );
    for (const what of ['presentationAttack', 'documentAuthenticity', 'identityBinding', 'expectedPerson']) {
      assert.deepEqual([assurance[what].assessed, assurance[what].status], [true, 'PASSED'], what);
    }
    assert.deepEqual(assurance.documentAuthenticity.countsFor, ['basic']);
  });

  if (!IS_LONG) return;
  it('kyc sends even the same person to a human, because document and face alone are not substantial', async () => {
    const { id, token, status, assurance } = await run('kyc', EXPECTED);
    assert.equal(status, 'REVIEW');
    assert.deepEqual(assurance.missing, ['second_factor_missing']);
    const approve = { method: 'POST', token, body: JSON.stringify({ comment: 'Looks right' }) };
    assert.equal((await app.call(`/api/process-manager/reviews/${id}/approve`, approve)).status, 200);
    const result = await read(id, token);
    assert.deepEqual([result.status, result.assurance.decidedBy], ['COMPLETED_ENDED_SUCCESS', 'human']);
  });
});
