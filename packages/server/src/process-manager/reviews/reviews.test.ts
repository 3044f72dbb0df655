import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { codeOf, endUser, startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { MINUTE } from '../../kernel/clock.ts';

onBothEngines('reviews', (_engine, places) => {
  let app: TestApp;
  let testKey: string;
  let token: string;

  before(async () => {
    app = await openTestApp(await places.create());
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
    token = await app.token(testKey);
  });
  after(() => app.stop());

  const reviews = '/api/process-manager/reviews';
  const post = (id: string, what: string, body: object = {}, bearer = token) =>
    app.call(`${reviews}/${id}/${what}`, { method: 'POST', body: JSON.stringify(body), token: bearer });
  const list = async (query = '') => (await app.call(`${reviews}?size=1000&${query}`, { token })).body.content;
  const instance = async (id: string) =>
    (await app.call(`/api/process-manager/processInstances/${id}`, { token })).body;

  /** An instance whose faces do not match, so that it waits for a human. */
  const inReview = async () => {
    const started = await startJourney(app, testKey, {
      parameters: { _scenario: 'face-mismatch', firstName: 'Ada', lastName: 'Byrne' },
    });
    const snapshot = await started.user.finish();
    assert.equal(snapshot.waitingFor, 'review');
    return started;
  };

  it('reviews are listed with the person, the waiting time and the reasons', async () => {
    const { processInstanceId } = await inReview();
    const review = (await list()).find((each: { processInstanceId: string }) => {
      return each.processInstanceId === processInstanceId;
    });
    assert.equal(review.firstName, 'Ada');
    assert.equal(review.step, 'decide');
    assert.deepEqual(review.reasons, ['match:not_the_same']);
    assert.equal(review.reviewer, undefined);
    assert.deepEqual((await instance(processInstanceId)).review, { status: 'PENDING' });
  });

  it('reviews of the sandbox are neither listed nor counted for a live key', async () => {
    await inReview();
    const { body } = await app.call(`${reviews}?size=1000`, { token: await app.token() });
    assert.deepEqual([body.content, body.totalElements], [[], 0]);
  });

  it('reviews that are approved accept the instance, with comment and reviewer', async () => {
    const { processInstanceId, user } = await inReview();
    const { status, body } = await post(processInstanceId, 'approve', { comment: 'Same person', reviewer: 'Grace' });
    assert.equal(status, 200);
    assert.equal(body.status, 'COMPLETED_ENDED_SUCCESS');
    assert.deepEqual(body.review, { status: 'APPROVED', comment: 'Same person', reviewer: 'Grace' });
    assert.equal((await user.look()).result.outcome, 'passed');
  });

  it('reviews that are rejected decline the instance, and need a comment', async () => {
    const { processInstanceId } = await inReview();
    assert.equal((await post(processInstanceId, 'reject')).body.code, 100001);
    const { body } = await post(processInstanceId, 'reject', { comment: 'Somebody else' });
    assert.equal(body.status, 'COMPLETED_ENDED_ERROR');
    assert.deepEqual(body.review, { status: 'REJECTED', comment: 'Somebody else', reviewer: 'API Key: test' });
  });

  it('reviews that a reviewer has claimed are refused to others with 100060, until the claim expires', async () => {
    const { processInstanceId } = await inReview();
    const claimed = await post(processInstanceId, 'claim', { reviewer: 'Grace' });
    assert.equal(claimed.body.reviewer, 'Grace');
    assert.equal((await post(processInstanceId, 'claim', { reviewer: 'Alan' })).body.code, 100060);
    assert.equal((await post(processInstanceId, 'approve', { comment: 'ok', reviewer: 'Alan' })).body.code, 100060);
    assert.equal((await post(processInstanceId, 'release', { reviewer: 'Alan' })).body.code, 100060);
    app.clock.advance(31 * MINUTE);
    token = await app.token(testKey);
    assert.equal((await post(processInstanceId, 'claim', { reviewer: 'Alan' })).body.reviewer, 'Alan');
    assert.equal((await post(processInstanceId, 'release', { reviewer: 'Alan' })).body.reviewer, undefined);
    assert.equal((await post(processInstanceId, 'approve', { comment: 'ok', reviewer: 'Grace' })).status, 200);
  });

  it('100060: a claim of a time when the clock was ahead does not keep others away once it is corrected', async () => {
    const { processInstanceId } = await inReview();
    const right = app.clock.now();
    app.clock.advance(300 * 24 * 60 * MINUTE);
    token = await app.token(testKey);
    await post(processInstanceId, 'claim', { reviewer: 'Grace' });
    app.clock.set(right);
    token = await app.token(testKey);
    assert.equal((await post(processInstanceId, 'claim', { reviewer: 'Alan' })).body.reviewer, 'Alan');
  });

  it('reviews can be claimed by only one of many who try at once', async () => {
    const { processInstanceId } = await inReview();
    const names = Array.from({ length: 20 }, (_, at) => `Reviewer ${at}`);
    const answers = await Promise.all(names.map((reviewer) => post(processInstanceId, 'claim', { reviewer })));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ body }) => body.code === 100060).length, 19);
  });

  it('reviews can be decided only once by many who try at once, and then answer 100061', async () => {
    const { processInstanceId } = await inReview();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        post(processInstanceId, at % 2 === 0 ? 'approve' : 'reject', { comment: 'I was first' }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ body }) => body.code === 100061).length, 9);
    const { status, review } = await instance(processInstanceId);
    assert.equal(status === 'COMPLETED_ENDED_SUCCESS', review.status === 'APPROVED');
  });

  it('reviews are refused with 100061 for instances that are not in review, and with 100022 for those of the other environment', async () => {
    const { processInstanceId } = await startJourney(app, testKey);
    for (const what of ['claim', 'release', 'approve', 'reject']) {
      const body = what === 'claim' || what === 'release' ? {} : { comment: 'x' };
      assert.equal((await post(processInstanceId, what, body)).body.code, 100061, what);
    }
    const live = await app.token();
    assert.equal((await post(processInstanceId, 'approve', { comment: 'x' }, live)).body.code, 100022);
  });

  it('reviews can be filtered by the reviewer who has claimed them', async () => {
    const { processInstanceId } = await inReview();
    const has = async (query: string) =>
      (await list(query)).some((each: { processInstanceId: string }) => each.processInstanceId === processInstanceId);
    assert.deepEqual([await has('assigned=CLAIMED'), await has('assigned=UNCLAIMED')], [false, true]);
    await post(processInstanceId, 'claim', { reviewer: 'Mary' });
    assert.deepEqual([await has('assigned=CLAIMED'), await has('assigned=UNCLAIMED')], [true, false]);
    assert.deepEqual([await has('reviewer=Mary'), await has('reviewer=Alan')], [true, false]);
  });

  it('reviews can request steps again, which reopens only these, by a link that works once', async () => {
    const { processInstanceId, user } = await inReview();
    const answer = await post(processInstanceId, 'askAgain', { comment: 'Take it in daylight', steps: ['selfie'] });
    assert.equal(answer.status, 200);
    assert.equal((await instance(processInstanceId)).status, 'ACTIVE');
    const back = await endUser(app, codeOf(answer.body.redirectUrl));
    const now = await back.look();
    assert.equal(now.step.id, 'selfie');
    assert.equal(now.device.active, true);
    assert.equal((await user.look()).device.active, false, 'the browser before looks on');
    await back.upload('selfie', 'image', { person: 'ada' });
    assert.equal((await back.submit('selfie')).status, 200);
    assert.equal((await back.settled()).waitingFor, 'review', 'the scenario fails the match again');
    const again = await app.call('/api/journey/sessions', {
      method: 'POST',
      body: JSON.stringify({ code: codeOf(answer.body.redirectUrl) }),
      token: null,
    });
    assert.equal(again.body.code, 100055);
  });

  it('reviews can request only steps that the end user has done', async () => {
    const { processInstanceId } = await inReview();
    const { body } = await post(processInstanceId, 'askAgain', { comment: 'x', steps: ['match', 'nothing'] });
    assert.equal(body.code, 100001);
    assert.deepEqual(
      body.errors.map(({ pointer }: { pointer: string }) => pointer),
      ['/steps/0', '/steps/1'],
    );
    assert.equal((await instance(processInstanceId)).status, 'REVIEW');
  });
});
