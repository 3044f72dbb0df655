import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { codeOf, type EndUser, endUser, startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { dayOf, HOUR, MINUTE, SECOND } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { KEPT_DAYS } from './funnel.ts';
import { COMES_BACK_WITHIN_MS } from './leave-step.ts';
import { removeCountsBefore } from './step-counts.repository.ts';

const BASE = '/api/process-manager';
const FORM = { type: 'object', properties: { pet: { type: 'string' } } };
const STEPS = [
  { id: 'consent', type: 'consent' },
  { id: 'form', type: 'form', schema: FORM, timeout: 'PT10M' },
  { id: 'decide', type: 'decision' },
];

onBothEngines('the funnel of a definition', (_engine, places) => {
  let grove: TestApp;
  let definitionId: string;
  let tokenId: string;
  const post = async (path: string, body: object = {}, token?: string) => {
    const answer = await grove.call(`${BASE}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      ...(token !== undefined && { token }),
    });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  before(async () => {
    grove = await openTestApp(await places.create());
    ({ id: definitionId } = await post('/processDefinitions', {
      name: 'pets',
      processDefinitionType: 'VERIFICATION',
      steps: STEPS,
    }));
    await post(`/processDefinitions/${definitionId}/deploy`);
    ({ id: tokenId } = await post('/processTokens', { name: 'pets', processDefnName: 'pets' }));
  });
  after(() => grove.stop());

  const start = async (): Promise<EndUser> => {
    const { redirectUrl } = await post(`/processInstances/create?pt=${tokenId}`);
    return endUser(grove, codeOf(redirectUrl));
  };
  const agree = async () => {
    const user = await start();
    await user.submit('consent', { accepted: true });
    return user;
  };
  const leave = (user: EndUser, step: string) => user.call(`/steps/${step}/left`, { method: 'POST' });
  const eventsOf = async ({ processInstanceId }: EndUser, token?: string): Promise<string[]> => {
    const path = `${BASE}/processInstances/${processInstanceId}/events?size=100`;
    const { body } = await grove.call(path, { ...(token !== undefined && { token }) });
    return body.content.map((each: { type: string; step?: string; data?: { attempt?: number } }) =>
      [each.type.replace('instance.', ''), each.step, each.data?.attempt].filter(Boolean).join(' '),
    );
  };
  const funnel = async (query = '', init = {}) =>
    grove.call(`${BASE}/processDefinitions/${definitionId}/funnel${query}`, init);

  it('the funnel of a definition counts who sees, finishes, fails and leaves each step, once for each instance', async () => {
    const good = await start();
    grove.clock.advance(12 * SECOND);
    await good.look();
    await good.submit('consent', { accepted: true });
    grove.clock.advance(40 * SECOND);
    await good.submit('form', { pet: 'cat' });
    assert.deepEqual(await eventsOf(good), [
      'created',
      'started',
      'stepSeen consent 1',
      'stepCompleted consent',
      'stepSeen form 1',
      'stepCompleted form',
      'completed decide',
    ]);
    const unable = await agree();
    const { revision } = await unable.look();
    await unable.call('/steps/form', { method: 'POST', body: JSON.stringify({ revision, unable: true }) });
    await (await start()).submit('consent', { accepted: false });
    await agree();
    grove.clock.advance(11 * MINUTE);
    await grove.app.jobs.runDue();
    await start();

    const { status, body } = await funnel();
    assert.equal(status, 200);
    const { steps, fromDate, toDate, ...rest } = body;
    assert.deepEqual(rest, {
      processDefnId: definitionId,
      processDefnName: 'pets',
      processDefnVersion: 1,
      environment: 'live',
    });
    assert.equal((Date.parse(toDate) - Date.parse(fromDate)) / 86_400_000, 29);
    const none = { passed: 0, failed: 0, review: 0, notPerformed: 0, retried: 0, left: 0 };
    assert.deepEqual(steps, [
      { step: 'consent', type: 'consent', ...none, seen: 5, passed: 3, failed: 1, medianSeconds: 5 },
      { step: 'form', type: 'form', ...none, seen: 3, passed: 1, notPerformed: 1, left: 1, medianSeconds: 5 },
    ]);
  });

  it('the funnel of a definition counts a page that was left and did not come back, once for each attempt', async () => {
    const reloads = await agree();
    await leave(reloads, 'form');
    await reloads.look();
    const leaves = await agree();
    assert.equal((await leave(leaves, 'form')).status, 204);
    grove.clock.advance(COMES_BACK_WITHIN_MS);
    await grove.app.jobs.runDue();
    assert.deepEqual((await eventsOf(reloads)).slice(-1), ['stepSeen form 1']);
    assert.deepEqual((await eventsOf(leaves)).slice(-2), ['stepSeen form 1', 'stepLeft form 1']);
    await leaves.look();
    await leave(leaves, 'form');
    grove.clock.advance(COMES_BACK_WITHIN_MS);
    await grove.app.jobs.runDue();
    assert.equal((await eventsOf(leaves)).filter((each) => each.startsWith('stepLeft')).length, 1);
    await leaves.submit('form', { pet: 'dog' });
    assert.equal((await leaves.look()).result.outcome, 'passed');
  });

  it('the funnel of a definition waits for the full time again if a page came back and was left again', async () => {
    const user = await agree();
    await leave(user, 'form');
    grove.clock.advance(COMES_BACK_WITHIN_MS / 2);
    await user.look();
    await leave(user, 'form');
    grove.clock.advance(COMES_BACK_WITHIN_MS / 2);
    await grove.app.jobs.runDue();
    assert.deepEqual((await eventsOf(user)).slice(-1), ['stepSeen form 1']);
    grove.clock.advance(COMES_BACK_WITHIN_MS / 2);
    await grove.app.jobs.runDue();
    assert.deepEqual((await eventsOf(user)).slice(-1), ['stepLeft form 1']);
  });

  it('100056, 100054: leaving a step is refused for a step that is not current, and without the session', async () => {
    const user = await start();
    assert.equal((await leave(user, 'form')).body.code, 100056);
    const stranger = await grove.call(`/api/journey/${user.processInstanceId}/steps/consent/left`, {
      method: 'POST',
      token: null,
    });
    assert.equal(stranger.body.code, 100054);
  });

  it('the funnel of a definition is limited to the environment, the version and the days of the request', async () => {
    const { apiKey } = await grove.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' });
    const other = await funnel('', { token: await grove.token(apiKey) });
    assert.deepEqual([other.body.environment, other.body.steps[0].seen], ['test', 0]);
    assert.equal((await funnel('?from=2001-01-01&to=2001-02-01')).body.steps[0].seen, 0);
    assert.ok((await funnel('?from=2020-01-01&to=2020-01-01')).body.fromDate === '2020-01-01');
  });

  it('the funnel of a definition counts repeated attempts', async () => {
    const { apiKey } = await grove.app.tenants.createApiKey('acme', { name: 'again', environment: 'test' });
    const { user, token } = await startJourney(grove, apiKey, { parameters: { _scenario: 'document-blurred-once' } });
    await user.finish();
    const { body } = await grove.call(`${BASE}/processDefinitions?name=document-and-selfie`, { token });
    const path = `${BASE}/processDefinitions/${body.content[0].id}/funnel`;
    const { steps } = (await grove.call(path, { token })).body;
    const documentStep = steps.find((each: { type: string }) => each.type === 'document');
    assert.deepEqual([documentStep.seen, documentStep.retried, documentStep.passed, documentStep.failed], [1, 1, 1, 0]);
    const [first, second] = (await eventsOf(user, token)).filter((each) =>
      each.startsWith(`stepSeen ${documentStep.step}`),
    );
    assert.deepEqual([first, second], [`stepSeen ${documentStep.step} 1`, `stepSeen ${documentStep.step} 2`]);
  });

  it('the funnel of a definition is refused with 100001 for an invalid range of days, and with 100023 for an unknown definition or one of another tenant', async () => {
    for (const query of ['?from=2026-02-02&to=2026-02-01', '?from=2020-01-01&to=2026-01-01', '?from=soon']) {
      assert.equal((await funnel(query)).body.code, 100001, query);
    }
    const { apiKey } = await grove.app.tenants.create({ id: 'stranger' });
    assert.equal((await funnel('', { token: await grove.token(apiKey) })).body.code, 100023);
  });

  it('the funnel of a definition removes counts that are more than 400 days old, in batches', async () => {
    const { fromDate, toDate, steps } = (await funnel()).body;
    assert.ok(steps[0].seen > 0);
    const tomorrow = dayOf(grove.clock.now()) + 1;
    const removed = await grove.app.db
      .of(asTenantId('acme'))
      .write((tx) => removeCountsBefore(tx, { day: tomorrow, limit: 2 }));
    assert.equal(removed, 2);
    assert.ok((await funnel()).body.steps.some(({ seen: count }: { seen: number }) => count > 0));
    grove.clock.advance((KEPT_DAYS + 1) * 24 * HOUR);
    await grove.app.jobs.tend();
    grove.clock.advance(24 * HOUR);
    await grove.app.jobs.runDue();
    const later = await funnel(`?from=${fromDate}&to=${toDate}`, { token: await grove.token() });
    assert.equal(later.body.steps[0].seen, 0);
  });
});
