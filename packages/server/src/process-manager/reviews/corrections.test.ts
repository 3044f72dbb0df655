import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startJourney } from '../../../test/end-user.ts';
import { everythingStored } from '../../../test/everything-stored.ts';
import { onBothEngines, openTestApp, type TestApp, type TestPlace } from '../../../test/harness.ts';
import { firstOwner, invitePerson, type Person } from '../../../test/operators.ts';

const TEST = { 'X-Grove-Environment': 'test' };
const BORN = '1990-01-31';
const MISREAD = '1996-01-31';
const PRINTED = '31 JAN 1996';

onBothEngines('corrected values and reopened instances', (engine, places) => {
  let app: TestApp;
  let place: TestPlace;
  let testKey: string;
  let token: string;
  let owner: Person;
  let grace: Person;
  let alan: Person;
  before(async () => {
    place = await places.create();
    app = await openTestApp(place);
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
    token = await app.token(testKey);
    owner = await firstOwner(app);
    grace = await invitePerson(app, owner, 'Reviewer', 'Grace');
    alan = await invitePerson(app, owner, 'Reviewer', 'Alan');
  });
  after(() => app.stop());

  /** An instance that waits for a human, because the date of birth was misread. */
  const misread = async (fields: Record<string, string> = { 'Date Of Birth': MISREAD }) => {
    const parameters = { firstName: 'Ada', lastName: 'Byrne', dateOfBirth: BORN };
    const { user, processInstanceId } = await startJourney(app, testKey, { parameters });
    await user.submit('consent', { accepted: true });
    await user.upload('document', 'front', { person: 'ada', fields });
    await user.submit('document');
    assert.equal((await user.finish()).waitingFor, 'review');
    return processInstanceId;
  };
  const post = (by: Person, id: string, what: string, body: object = {}) =>
    by.call(`/api/process-manager/reviews/${id}/${what}`, { body, headers: TEST });
  const correction = { document: 'doc1', fieldName: 'Date Of Birth', value: BORN, comment: 'The 0 was read as a 6' };
  const correct = (by: Person, id: string, change: object = {}) =>
    post(by, id, 'correct', { ...correction, ...change });
  const review = async (id: string) => (await grace.call(`/api/process-manager/reviews/${id}`, { headers: TEST })).body;
  const instance = async (id: string) =>
    (await app.call(`/api/process-manager/processInstances/${id}`, { token })).body;
  const userData = async (id: string) => {
    const { processDefnId } = await instance(id);
    const place = `/api/userdata-server/processDefinitions/${processDefnId}/processInstances/${id}/userdata`;
    return (await app.call(place, { token })).body;
  };
  const actions = async (id: string) => {
    const { body } = await app.call(`/api/process-manager/auditEvents?processInstanceId=${id}&size=50`, { token });
    return body.content.map(({ action }: { action: string }) => action);
  };

  it('a corrected value is checked again, shown with its history, and a human decides', async () => {
    const id = await misread();
    assert.deepEqual((await review(id)).reasons, ['document:date_of_birth_differs']);
    const corrected = await correct(grace, id, { replaces: PRINTED });
    assert.deepEqual([corrected.status, corrected.body.status], [200, 'REVIEW'], corrected.text);
    const waiting = await review(id);
    assert.deepEqual([waiting.evaluation, waiting.reasons], ['PASS', ['decide:value_corrected']]);
    const { documents, _checks } = await userData(id);
    const field = documents.doc1.biographicData.find(
      ({ fieldName }: { fieldName: string }) => fieldName === 'Date Of Birth',
    );
    assert.deepEqual([field.values.mrzValue, field.values.correctedValue], [MISREAD, BORN]);
    assert.equal(_checks.document.outcome, 'PASSED');
    const [{ correctedDtm, ...storedCorrection }] = documents.doc1.corrections;
    assert.deepEqual(storedCorrection, {
      fieldName: 'Date Of Birth',
      before: PRINTED,
      value: BORN,
      comment: correction.comment,
      reviewer: 'Grace (grace@acme.com)',
    });
    assert.match(correctedDtm, /^\d{4}-/);
    assert.equal((await post(grace, id, 'approve', { comment: 'It is her' })).body.status, 'COMPLETED_ENDED_SUCCESS');
    assert.equal((await correct(grace, id)).body.code, 100061);
  });

  it('corrected values are in no audit event and no webhook, and nowhere in plain text', async () => {
    const id = await misread({ 'Last Name': 'BYRME' });
    await correct(grace, id, { fieldName: 'Last Name', value: 'Byrne-Unmistakable' });
    const events = await app.call(`/api/process-manager/processInstances/${id}/events?size=100`, { token });
    const event = events.body.content.find(({ type }: { type: string }) => type === 'instance.valueCorrected');
    assert.deepEqual([event.step, event.data], ['document', { fieldName: 'Last Name' }]);
    assert.ok((await actions(id)).includes('review.corrected'));
    assert.doesNotMatch(await everythingStored(app, place, engine), /unmistakable/);
  });

  it('100361: a second correction of the same value is refused to a reviewer who saw only the first value', async () => {
    const id = await misread();
    const answers = await Promise.all([
      correct(grace, id, { replaces: PRINTED }),
      correct(alan, id, { replaces: PRINTED, value: '1990-01-30' }),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
    assert.equal(answers.find(({ status }) => status === 409)?.body.code, 100361);
    assert.equal((await userData(id)).documents.doc1.corrections.length, 1);
  });

  it('a correction is refused to a role without the permission, to a reviewer without a claim, and in another tenant', async () => {
    const id = await misread();
    const developer = await invitePerson(app, owner, 'Developer', 'Dora');
    assert.equal((await correct(developer, id)).body.code, 7);
    await post(alan, id, 'claim');
    assert.equal((await correct(grace, id)).body.code, 100060);
    const { apiKey } = await app.app.tenants.create({ id: `other-${Date.now()}` });
    const stranger = await app.token(apiKey);
    for (const what of ['correct', 'reopen']) {
      const body = JSON.stringify(what === 'correct' ? correction : { comment: 'x' });
      const answer = await app.call(`/api/process-manager/reviews/${id}/${what}`, {
        method: 'POST',
        body,
        token: stranger,
      });
      assert.equal(answer.body.code, 100022, what);
    }
  });

  it('a correction that matches no value is refused with the pointer of the fault', async () => {
    const id = await misread();
    const pointerOf = async (change: object) => (await correct(grace, id, change)).body.errors[0].pointer;
    assert.equal(await pointerOf({ value: '31.1.1990' }), '/value');
    assert.equal(await pointerOf({ document: 'face1' }), '/document');
    assert.equal(await pointerOf({ fieldName: 'Shoe Size' }), '/fieldName');
    assert.equal(await pointerOf({ comment: '' }), '/comment');
  });

  it('a case that is approved and corrected at once is approved, and the correction is either earlier or refused', async () => {
    const id = await misread();
    const [approved, corrected] = await Promise.all([
      post(alan, id, 'approve', { comment: 'fine' }),
      correct(grace, id),
    ]);
    assert.equal(approved.status, 200);
    assert.ok(corrected.status === 200 || corrected.body.code === 100061);
    assert.equal((await instance(id)).status, 'COMPLETED_ENDED_SUCCESS');
  });

  it('a verdict of a case with four eyes no longer counts after a correction', async () => {
    const settings = '/api/process-manager/settings';
    const change = (fourEyes: boolean) => owner.call(settings, { body: { fourEyes }, headers: TEST });
    assert.equal((await change(true)).status, 200);
    const id = await misread();
    await post(grace, id, 'approve', { comment: 'fine' });
    assert.equal((await correct(alan, id)).body.status, 'REVIEW');
    assert.deepEqual((await review(id)).verdictsBy, []);
    assert.equal((await post(alan, id, 'approve', { comment: 'fine' })).body.status, 'REVIEW');
    assert.equal((await post(grace, id, 'approve', { comment: 'fine' })).body.status, 'COMPLETED_ENDED_SUCCESS');
    await change(false);
  });

  it('a decided instance can be reopened with a reason, and decided again', async () => {
    const id = await misread();
    await post(grace, id, 'reject', { comment: 'somebody else' });
    app.clock.advance(1000);
    const reopened = await post(alan, id, 'reopen', { comment: 'The customer called' });
    assert.deepEqual([reopened.status, reopened.body.step], [200, 'decide'], reopened.text);
    app.clock.advance(1000);
    const open = await instance(id);
    assert.deepEqual([open.status, open.review], ['REVIEW', { status: 'PENDING' }]);
    assert.equal((await post(alan, id, 'approve', { comment: 'It is her' })).body.status, 'COMPLETED_ENDED_SUCCESS');
    const { body } = await grace.call('/api/process-manager/closedReviews?size=50', { headers: TEST });
    const own = body.content.filter((row: { processInstanceId: string }) => row.processInstanceId === id);
    assert.deepEqual(
      own.map(({ verdict, comment }: Record<string, string>) => [verdict, comment]),
      [
        ['APPROVED', 'It is her'],
        ['REOPENED', 'The customer called'],
        ['REJECTED', 'somebody else'],
      ],
    );
    assert.ok((await actions(id)).includes('review.reopened'));
  });

  it('100362: an instance cannot be reopened if it was not decided, was cancelled, or is reopened by another request at once', async () => {
    const waiting = await misread();
    assert.equal((await post(grace, waiting, 'reopen', { comment: 'x' })).body.code, 100362);
    await app.call(`/api/process-manager/processInstances/${waiting}/cancel`, { method: 'POST', token });
    assert.equal((await post(grace, waiting, 'reopen', { comment: 'x' })).body.code, 100362);
    const decided = await misread();
    await post(grace, decided, 'approve', { comment: 'fine' });
    const twice = await Promise.all([grace, alan].map((by) => post(by, decided, 'reopen', { comment: 'x' })));
    assert.deepEqual(twice.map(({ status }) => status).toSorted(), [200, 409]);
  });

  it('100022: an instance that was deleted can be neither corrected nor reopened', async () => {
    const id = await misread();
    await app.call(`/api/process-manager/processInstances/${id}`, { method: 'DELETE', token });
    assert.equal((await correct(grace, id)).body.code, 100022);
    assert.equal((await post(grace, id, 'reopen', { comment: 'x' })).body.code, 100022);
  });
});
