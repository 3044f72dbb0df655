import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines } from '../../test/harness.ts';
import { PNG } from '../../test/images.ts';
import {
  type Browser,
  CONSENT,
  DECIDE,
  DOCUMENT,
  openTestJourney,
  type TestJourney,
  type TokenOptions,
} from '../../test/journey.ts';
import { HOUR } from '../kernel/clock.ts';
import type { Step } from '../process-manager/engine/definition.ts';

const FORM: Step = {
  id: 'form',
  type: 'form',
  key: 'form1',
  schema: { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'], additionalProperties: false },
};
const PASSED = { name: 'documentReading', type: 'document', status: 'PASSED' } as const;

onBothEngines('a journey', (_engine, places) => {
  let grove: TestJourney;
  before(async () => {
    grove = await openTestJourney(await places.create());
  });
  after(() => grove.stop());

  const begin = async (options: TokenOptions = {}): Promise<Browser> => {
    const { code } = await grove.instance(options);
    const browser = grove.browser();
    await browser.open({ code });
    return browser;
  };
  const applyFindings = (browser: Browser, ...checks: object[]) =>
    grove.apply(browser.instanceId, {
      type: 'findings',
      step: 'document',
      attempt: 1,
      findings: { checks: checks as never },
    });
  /** Submits all steps of the end user, up to the work of image analysis. */
  const untilWork = async (options: TokenOptions = {}) => {
    const browser = await begin(options);
    await browser.submit('consent', { accepted: true });
    await browser.upload('document', 'front', PNG);
    const { status, body } = await browser.submit('document', { documentType: 'PASSPORT' });
    assert.equal(status, 200, JSON.stringify(body));
    return { browser, body };
  };

  it('a journey shows its next step, one after another, until it has ended', async () => {
    const browser = await begin();
    const first = (await browser.get()).body;
    assert.deepEqual(first, {
      processInstanceId: browser.instanceId,
      environment: 'live',
      tenantName: 'Name of acme',
      status: 'ACTIVE',
      statusMapped: 'In Progress',
      revision: 1,
      progress: { position: 1, total: 2 },
      step: {
        id: 'consent',
        type: 'consent',
        attempt: 1,
        maxAttempts: 1,
        triesLeft: 1,
        images: [],
        settings: { textVersion: '1' },
      },
      stepTypes: ['consent', 'document'],
      needs: ['document'],
      minutes: 2,
      correctable: [],
      retentionDays: 30,
      themeUrl: '/api/theme-server/themes/default?tn=acme',
      device: { active: true, handoff: 'NONE' },
    });
    const second = (await browser.submit('consent', { accepted: true })).body;
    assert.deepEqual([second.revision, second.progress, second.step.id], [2, { position: 2, total: 2 }, 'document']);
    await browser.upload('document', 'front', PNG);
    assert.deepEqual((await browser.get()).body.step.images, ['front']);
    const third = (await browser.submit('document')).body;
    assert.deepEqual([third.waitingFor, third.step, third.result], ['check', undefined, undefined]);
    await applyFindings(browser, PASSED);
    const last = (await browser.get()).body;
    assert.deepEqual(
      [last.status, last.result, last.step, last.waitingFor],
      ['COMPLETED_ENDED_SUCCESS', { outcome: 'passed' }, undefined, undefined],
    );
    assert.deepEqual(last.progress, { position: 2, total: 2 });
  });

  it('100056: a step is accepted only while it is current, and from a page that showed the current revision', async () => {
    const browser = await begin();
    const send = (step: string, revision: number) =>
      browser.post(`/steps/${step}`, { revision, result: { accepted: true } });
    assert.equal((await send('document', 1)).body.code, 100056);
    assert.equal((await send('nothing', 1)).body.code, 100056);
    assert.equal((await send('consent', 0)).body.code, 100056);
    assert.equal((await send('consent', 2)).body.code, 100056);
    assert.equal((await send('consent', 1)).status, 200);
    assert.equal((await send('consent', 1)).body.code, 100056);
    assert.equal((await send('consent', 2)).body.code, 100056);
  });

  it('100056: a step that several requests submit at once is accepted once', async () => {
    const browser = await begin();
    const submit = () => browser.post('/steps/consent', { revision: 1, result: { accepted: true } });
    const answers = await Promise.all(Array.from({ length: 6 }, submit));
    const codes = answers.map(({ status, body }) => body.code ?? status).sort((one, other) => one - other);
    assert.deepEqual(codes, [200, ...Array(5).fill(100056)]);
    assert.equal((await browser.get()).body.revision, 2);
  });

  it('100056: input for one attempt is not accepted for the next', async () => {
    const { browser } = await untilWork();
    await applyFindings(browser, { ...PASSED, status: 'FAILED', reason: 'blurred', advice: 'retry' });
    const { step, revision } = (await browser.get()).body;
    assert.deepEqual([step.attempt, step.maxAttempts, step.fault], [2, 3, { reason: 'blurred', advice: 'retry' }]);
    assert.deepEqual(step.images, [], 'an image of the first attempt is shown in the second');
    await browser.upload('document', 'front', PNG);
    assert.equal((await browser.post('/steps/document', { revision: revision - 2 })).body.code, 100056);
    assert.equal((await browser.post('/steps/document', { revision })).status, 200);
  });

  it('bad input for a step is refused with the pointer of each fault, and changes nothing', async () => {
    const browser = await begin({ steps: [FORM, DOCUMENT, DECIDE] });
    const wrong = await browser.submit('form', { age: 'old' });
    assert.deepEqual([wrong.status, wrong.body.code, wrong.body.errors[0].pointer], [400, 100001, '/result/age']);
    assert.equal((await browser.get()).body.revision, 1);
    assert.equal((await browser.submit('form', { age: 40 })).status, 200);
    const missing = await browser.submit('document');
    assert.deepEqual(
      [missing.body.code, missing.body.errors],
      [100001, [{ pointer: '/images/front', message: 'is required' }]],
    );
  });

  it('a consent is stored with the text that was shown, and its language', async () => {
    const browser = await begin();
    const other = await browser.submit('consent', { accepted: true, textVersion: '2' });
    assert.deepEqual([other.status, other.body.errors[0].pointer], [400, '/result/textVersion']);
    const odd = await browser.submit('consent', { accepted: true, language: '<b>' });
    assert.deepEqual([odd.status, odd.body.errors[0].pointer], [400, '/result/language']);
    const consent = { accepted: true, textVersion: '1', language: 'de', page: 'grove-1' };
    assert.equal((await browser.submit('consent', consent)).status, 200);
    const look = await grove.drive.look(grove.acme, browser.instanceId);
    assert.deepEqual(look?.state.data.forms.consent, consent);
  });

  it('an end user who cannot do a step does not fail: the instance goes to a human', async () => {
    const browser = await begin();
    await browser.submit('consent', { accepted: true });
    const { revision } = (await browser.get()).body;
    const { body } = await browser.post('/steps/document', { revision, unable: true });
    assert.deepEqual([body.status, body.waitingFor, body.result], ['REVIEW', 'review', { outcome: 'received' }]);
    assert.equal((await browser.post('/abandon')).body.code, 100057);
  });

  it('a step that a reviewer requests again begins without the earlier images', async () => {
    const { browser } = await untilWork();
    await applyFindings(browser, { ...PASSED, status: 'REVIEW' });
    grove.clock.advance(1000);
    await grove.apply(browser.instanceId, { type: 'askAgain', steps: ['document'] });
    const { step } = (await browser.get()).body;
    assert.deepEqual([step.id, step.attempt, step.images], ['document', 1, []]);
  });

  it('a paused journey waits until it is resumed', async () => {
    const browser = await begin({ steps: [{ id: 'pause', type: 'pause', key: 'pause1' }, CONSENT, DECIDE] });
    const { body } = await browser.get();
    assert.deepEqual([body.status, body.waitingFor, body.step], ['PAUSED', 'resume', undefined]);
    await grove.apply(browser.instanceId, { type: 'resume', variables: {} });
    assert.equal((await browser.get()).body.step.id, 'consent');
  });

  it('the step of a child journey is shown and submitted as if it belonged to the parent', async () => {
    const child = await grove.token({ steps: [FORM, DECIDE] });
    const name = (await grove.acme.get<{ name: string }>(
      { text: 'SELECT process_defn_name AS name FROM process_tokens WHERE tenant_id = $1 AND id = $2' },
      ['acme', child],
    )) as { name: string };
    const browser = await begin({
      steps: [{ id: 'child', type: 'subprocess', definition: name.name }, CONSENT, DECIDE],
    });
    const { body } = await browser.get();
    assert.deepEqual([body.processInstanceId, body.status, body.step.id], [browser.instanceId, 'ACTIVE', 'form']);
    const after = (await browser.submit('form', { age: 1 })).body;
    assert.equal(after.step.id, 'consent');
    assert.ok(after.revision > body.revision);
  });

  it('an end user who leaves in a child journey leaves the whole journey', async () => {
    const child = await grove.token({ steps: [FORM, DECIDE] });
    const { name } = (await grove.acme.get<{ name: string }>(
      { text: 'SELECT process_defn_name AS name FROM process_tokens WHERE tenant_id = $1 AND id = $2' },
      ['acme', child],
    )) as { name: string };
    const browser = await begin({ steps: [{ id: 'child', type: 'subprocess', definition: name }, CONSENT, DECIDE] });
    const { status, body } = await browser.post('/abandon');
    assert.deepEqual([status, body.status], [200, 'COMPLETED_TERMINATED']);
    const open = await grove.acme.all(
      { text: "SELECT id FROM process_instances WHERE tenant_id = $1 AND parent_id = $2 AND status = 'ACTIVE'" },
      ['acme', browser.instanceId],
    );
    assert.deepEqual(open, []);
  });

  it('100057: a journey that has ended accepts no input', async () => {
    const browser = await begin();
    const { body } = await browser.post('/abandon');
    assert.deepEqual([body.status, body.result], ['COMPLETED_TERMINATED', { outcome: 'expired' }]);
    assert.equal((await browser.post('/abandon')).body.code, 100057);
    assert.equal((await browser.post('/steps/consent', { revision: body.revision })).body.code, 100057);
    assert.equal((await browser.upload('consent', 'front', PNG)).body.code, 100057);
  });

  it('100022: an instance that is deleted between the check of the cookie and the step is not found', async () => {
    const browser = await begin();
    grove.meanwhile.run = () =>
      grove.acme.write((tx) =>
        tx.run({ text: 'DELETE FROM process_instances WHERE tenant_id = $1 AND id = $2' }, [
          'acme',
          browser.instanceId,
        ]),
      );
    const { status, body } = await browser.post('/steps/consent', { revision: 1 });
    assert.deepEqual([status, body.code], [404, 100022]);
    assert.equal((await browser.get()).body.code, 100054);
  });

  it('100058: a session that is no longer active between the check of the cookie and the step is refused', async () => {
    const browser = await begin();
    grove.meanwhile.run = async () => grove.browser().open({ code: await grove.resumeCode(browser.instanceId) });
    const { body } = await browser.post('/steps/consent', { revision: 1, result: { accepted: true } });
    assert.equal(body.code, 100058);
    assert.equal((await browser.get()).body.step.id, 'consent');
  });

  it('each end of a journey has its outcome, and no outcome says which check failed', async () => {
    const declined = await begin();
    const no = (await declined.submit('consent', { accepted: false })).body;
    assert.deepEqual([no.status, no.result], ['COMPLETED_ENDED_ERROR', { outcome: 'notPossible' }]);
    const { browser: broken } = await untilWork();
    await grove.apply(broken.instanceId, { type: 'broke', step: 'document', attempt: 1, reason: 'step_broke' });
    const again = (await broken.get()).body;
    assert.deepEqual([again.statusMapped, again.result], ['Error', { outcome: 'tryAgain' }]);
    const { browser: failed } = await untilWork();
    await applyFindings(failed, { ...PASSED, status: 'FAILED', reason: 'expired_document', advice: 'final' });
    const { text, body } = await failed.get();
    assert.deepEqual(body.result, { outcome: 'notPossible' });
    assert.ok(!text.includes('expired_document'));
  });

  const REDIRECTS = {
    _redirectUrl: 'https://shop.example/done?d={PROCESS_DNF_NAME}',
    timeoutRedirectUrl: 'https://shop.example/late',
  };
  const targetOf = async (browser: Browser) => (await browser.get()).body.result?.redirectUrl;

  it('a journey redirects at its end, and only then, with the instance and the outcome', async () => {
    await grove.allowRedirects('https://shop.example');
    const { browser, body } = await untilWork({ parameters: REDIRECTS });
    assert.ok(!JSON.stringify(body).includes('shop.example'));
    await applyFindings(browser, PASSED);
    const url = new URL(await targetOf(browser));
    assert.equal(url.origin + url.pathname, 'https://shop.example/done');
    assert.match(url.searchParams.get('d') ?? '', /^definition \d+$/);
    assert.deepEqual(
      [url.searchParams.get('processInstanceId'), url.searchParams.get('status')],
      [browser.instanceId, 'Accepted'],
    );
  });

  it('a journey does not redirect to an address that is no longer on the list of the tenant', async () => {
    await grove.allowRedirects('https://shop.example');
    const browser = await begin({ parameters: REDIRECTS });
    await browser.submit('consent', { accepted: false });
    assert.ok(await targetOf(browser));
    await grove.allowRedirects('https://other.example');
    assert.equal(await targetOf(browser), undefined);
  });

  it('a journey redirects to another address after a time-out if that is configured, but not when the end user left', async () => {
    await grove.allowRedirects('https://shop.example');
    const late = await begin({ parameters: REDIRECTS });
    grove.clock.advance(48 * HOUR);
    await grove.apply(late.instanceId, { type: 'expire' });
    assert.match(await targetOf(late), /^https:\/\/shop\.example\/late\?processInstanceId=.*&status=Abandoned$/);
    const leaver = await begin({ parameters: REDIRECTS });
    await leaver.post('/abandon');
    assert.match(await targetOf(leaver), /^https:\/\/shop\.example\/done/);
    const { timeoutRedirectUrl: _, ...usual } = REDIRECTS;
    const plain = await begin({ parameters: usual });
    await grove.apply(plain.instanceId, { type: 'expire' });
    assert.match(await targetOf(plain), /^https:\/\/shop\.example\/done/);
  });
});
