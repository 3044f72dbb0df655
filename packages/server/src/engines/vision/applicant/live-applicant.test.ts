import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makeSpecimen } from '@grove/vision';
import { startJourney } from '../../../../test/end-user.ts';
import { openTestApp, testPlaces } from '../../../../test/harness.ts';
import { judgeApplicant } from './judge-applicant.ts';

/** A live journey with real image analysis, on one database only: reading a passport takes seconds. */
const HOLDER = { surname: 'Østergård-Müller', givenNames: 'Anna María', birthDate: '1984-05-06' };
const VALID = { issueDate: '2020-01-01', expiryDate: '2029-12-31' };

const places = testPlaces();

it('a live journey compares the document with the expected person, and does not accept another person', async (t) => {
  const app = await openTestApp(await places.create(), { environment: { GROVE_VISION: 'lazy' } });
  t.after(() => app.stop());
  const { jpeg } = await makeSpecimen({ kind: 'passport', seed: 3, person: { ...VALID, ...HOLDER } });
  const parameters = { firstName: 'Ada', lastName: 'Byrne', dateOfBirth: '1984-05-06' };
  const started = await startJourney(app, app.apiKey, { processDefnName: 'age-check', parameters });
  const { user, token, processInstanceId: id } = started;
  await user.submit('consent', { accepted: true });
  const image = { method: 'POST', body: jpeg as never, headers: { 'content-type': 'image/jpeg' } };
  const answer = await user.call('/steps/document/images/front', image);
  assert.equal(answer.status, 200, answer.text + app.logged().slice(-1500));
  assert.equal((await user.submit('document')).status, 200);
  await user.settled(app.clock);

  const { processDefnId, status } = (await app.call(`/api/process-manager/processInstances/${id}`, { token })).body;
  assert.notEqual(status, 'COMPLETED_ENDED_SUCCESS');
  const place = `/api/userdata-server/processDefinitions/${processDefnId}/processInstances/${id}`;
  const checks = (await app.call(`${place}/userdata/checks`, { token })).body;
  const check = checks.find(({ name }: { name: string }) => name === 'applicantMatch');
  assert.deepEqual(
    [check?.status, check?.reason, check?.metaData],
    [
      'FAILED',
      'name_differs',
      { engine: 'grove', fields: { firstName: 'differs', lastName: 'differs', dateOfBirth: 'agrees' } },
    ],
    JSON.stringify(checks),
  );

  const { documents } = (await app.call(`${place}/userdata`, { token })).body;
  const expected = { firstName: 'Anna', lastName: 'Østergård-Müller', dateOfBirth: '1984-05-06' };
  assert.equal(judgeApplicant(expected, documents.doc1)?.status, 'PASSED');
  assert.notEqual(judgeApplicant({ ...expected, dateOfBirth: '1985-05-06' }, documents.doc1)?.status, 'PASSED');
});
