import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { firstOwner, invitePerson, type Person } from '../../../test/operators.ts';
import { HOUR, MINUTE } from '../../kernel/clock.ts';

const TEST = { 'X-Grove-Environment': 'test' };
const REVIEWS = '/api/process-manager/reviews';

onBothEngines('the queue of reviewers', (_engine, places) => {
  let app: TestApp;
  let testKey: string;
  let owner: Person;
  let grace: Person;
  let ids: string[];
  before(async () => {
    app = await openTestApp(await places.create());
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
    owner = await firstOwner(app);
    grace = await invitePerson(app, owner, 'Reviewer', 'Grace');
    ids = [];
    for (const firstName of ['Ada', 'Bea', 'Cleo']) {
      const parameters = { _scenario: 'face-mismatch', firstName, lastName: 'Byrne' };
      const { user, processInstanceId } = await startJourney(app, testKey, { parameters });
      await user.finish();
      ids.push(processInstanceId);
      app.clock.advance(60_000);
    }
  });
  after(() => app.stop());

  const list = async (query: string) =>
    (await grace.call(`${REVIEWS}?size=50&${query}`, { headers: TEST })).body.content;
  const names = async (query: string) => (await list(query)).map(({ firstName }: { firstName: string }) => firstName);
  const setPriority = (by: Person, id: string | undefined, priority: string) =>
    by.call(`${REVIEWS}/${id}/priority`, { body: { priority }, headers: TEST });
  const setDue = (reviewDueHours: number) =>
    owner.call('/api/process-manager/settings', { body: { reviewDueHours }, headers: TEST });
  const URGENT_FIRST = 'sort=priority,desc&sort=waitingSinceDtm,asc';

  it('the queue of reviewers is divided by process definition into named queues, with the number of waiting cases in each', async () => {
    const { user } = await startJourney(app, testKey, {
      processDefnName: 'document-only',
      parameters: { _scenario: 'document-inconsistent', firstName: 'Dora', lastName: 'Byrne' },
    });
    await user.finish();
    const queue = (name: string, ...processDefnNames: string[]) => ({ name, processDefnNames });
    const reviewQueues = [
      queue('Papers', 'document-only', 'none'),
      queue('Both', 'document-only', 'document-and-selfie'),
    ];
    await owner.call('/api/process-manager/settings', { body: { reviewQueues }, headers: TEST });
    const { body } = await grace.call('/api/process-manager/reviewQueues', { headers: TEST });
    assert.deepEqual(
      body.queues.map(({ name, waiting }: { name: string; waiting: number }) => [name, waiting]),
      [
        ['Papers', 1],
        ['Both', 4],
      ],
    );
    assert.ok(body.queues[0].oldestDtm > body.queues[1].oldestDtm);
    assert.deepEqual(await names('queue=Papers'), ['Dora']);
    assert.equal((await names('queue=Both')).length, 4);
    assert.deepEqual(await names('queue=Both&processDefnName=document-only'), ['Dora']);
    const unknown = await grace.call(`${REVIEWS}?queue=Nothing`, { headers: TEST });
    assert.deepEqual([unknown.status, unknown.body.errors[0].pointer], [400, '/query/queue']);
    assert.deepEqual((await grace.call('/api/process-manager/reviewQueues')).body.queues, []);
    const { processInstanceId } = user;
    await owner.call(`/api/process-manager/processInstances/${processInstanceId}/cancel`, { body: {}, headers: TEST });
  });

  it('the queue of reviewers lists the most urgent first, then the longest waiting', async () => {
    assert.deepEqual(await names(URGENT_FIRST), ['Ada', 'Bea', 'Cleo']);
    const answer = await setPriority(owner, ids[2], 'URGENT');
    assert.deepEqual([answer.status, answer.body.priority], [200, 'URGENT'], answer.text);
    await setPriority(owner, ids[1], 'HIGH');
    assert.deepEqual(await names(URGENT_FIRST), ['Cleo', 'Bea', 'Ada']);
    assert.deepEqual(await names('sort=waitingSinceDtm,asc'), ['Ada', 'Bea', 'Cleo']);
    await setPriority(owner, ids[2], 'NORMAL');
    assert.deepEqual(await names(URGENT_FIRST), ['Bea', 'Ada', 'Cleo']);
  });

  it('the priority in the queue of reviewers is changed only with the permission, for a waiting case, and to a known value', async () => {
    assert.equal((await setPriority(grace, ids[0], 'HIGH')).body.code, 7);
    assert.equal((await setPriority(owner, ids[0], 'SOON')).body.code, 100001);
    assert.equal((await setPriority(owner, '01JZ4MCW8A0C2E4G6J8M0P2R4T', 'HIGH')).body.code, 100022);
    const { processInstanceId } = await startJourney(app, testKey);
    assert.equal((await setPriority(owner, processInstanceId, 'HIGH')).body.code, 100061);
    const { body } = await owner.call('/api/process-manager/auditEvents?action=review.prioritised&size=9', {
      headers: TEST,
    });
    const priorities = body.content.map(({ details }: { details: { values: object } }) => details.values);
    assert.deepEqual(
      new Set(priorities),
      new Set([{ priority: 'URGENT' }, { priority: 'HIGH' }, { priority: 'NORMAL' }]),
    );
  });

  it('the queue of reviewers shows when each case should be decided, and finds overdue cases', async () => {
    assert.equal((await list(''))[0].dueDtm, undefined);
    assert.deepEqual(await names('due=OVERDUE'), [], 'without a deadline nothing is overdue');
    assert.equal((await setDue(-1)).body.code, 100001);
    assert.equal((await setDue(2)).body.reviewDueHours, 2);
    const [first] = await list('sort=waitingSinceDtm,asc');
    assert.equal(Date.parse(first.dueDtm) - Date.parse(first.waitingSinceDtm), 2 * HOUR);
    assert.deepEqual(await names('due=OVERDUE'), []);
    // Sessions end after half an hour without a request.
    const until = Date.parse(first.dueDtm);
    while (app.clock.now() < until) {
      app.clock.set(Math.min(until, app.clock.now() + 20 * MINUTE));
      for (const person of [owner, grace]) await person.call(`${REVIEWS}?size=1`, { headers: TEST });
    }
    assert.deepEqual(await names('due=OVERDUE'), ['Ada']);
  });

  it('the queue of reviewers keeps the position of a case that was claimed, released or corrected', async () => {
    const [before] = await list('sort=waitingSinceDtm,asc');
    const post = (what: string, body: object) =>
      grace.call(`${REVIEWS}/${before.processInstanceId}/${what}`, { body, headers: TEST });
    assert.equal((await post('claim', {})).status, 200);
    const correction = { document: 'doc1', fieldName: 'First Name', value: 'Adah', comment: 'misread' };
    assert.equal((await post('correct', correction)).status, 200);
    assert.equal((await post('release', {})).status, 200);
    const [after] = await list('sort=waitingSinceDtm,asc');
    assert.deepEqual([after.processInstanceId, after.dueDtm], [before.processInstanceId, before.dueDtm]);
  });
});
