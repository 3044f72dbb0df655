import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines } from '../../test/harness.ts';
import { CONSENT, DECIDE, DOCUMENT, openTestJourney, type TestJourney } from '../../test/journey.ts';
import type { Step } from '../process-manager/engine/definition.ts';
import { MAX_CORRECTIONS } from '../process-manager/engine/do-again.ts';

const form = (id: string): Step => ({
  id,
  type: 'form',
  key: id,
  schema: { type: 'object', properties: { name: { type: 'string' } } },
});

onBothEngines('corrections of a journey', (_engine, places) => {
  let grove: TestJourney;
  before(async () => {
    grove = await openTestJourney(await places.create());
  });
  after(() => grove.stop());

  const start = async (steps: readonly Step[]) => {
    const { id, code } = await grove.instance({ steps });
    const browser = grove.browser();
    await browser.open({ code });
    const repeat = async (stepId: string, revision?: number) => {
      const now = revision ?? (await browser.get()).body.revision;
      return browser.post(`/steps/${stepId}/again`, { revision: now });
    };
    return { id, browser, repeat };
  };
  const idsOf = (body: { correctable: { stepId: string }[] }) => body.correctable.map(({ stepId }) => stepId);

  it('corrections of a journey are offered for earlier steps of the end user, and the current step keeps its attempts', async () => {
    const { id, browser, repeat } = await start([CONSENT, form('one'), DOCUMENT, DECIDE]);
    assert.deepEqual(idsOf((await browser.get()).body), []);
    await browser.submit('consent', { accepted: true });
    await browser.submit('one', { name: 'Ada' });
    await browser.upload('document', 'front', Buffer.from('{}'), 'application/json').catch(() => undefined);
    assert.deepEqual(idsOf((await browser.get()).body), ['consent', 'one']);
    const again = await repeat('one');
    assert.deepEqual([again.status, again.body.step.id], [200, 'one']);
    assert.deepEqual(again.body.step.settings.values, { name: 'Ada' });
    const back = await browser.submit('one', { name: 'Grace' });
    assert.deepEqual([back.body.step.id, back.body.step.attempt], ['document', 1]);
    assert.ok((await grove.events(id)).includes('instance.stepReopened'));
  });

  it('corrections of a journey are answered with the state of the journey, like every step', async () => {
    const steps = [CONSENT, form('one'), DOCUMENT, form('two'), DECIDE];
    const { id, code } = await grove.instance({ steps, environment: 'test' });
    const browser = grove.browser();
    const opened = await browser.open({ code });
    const ensureSame = async (answer: object) => assert.deepEqual(answer, (await browser.get()).body);
    const { theme: _, texts: __, ...journey } = opened.body.journey;
    await ensureSame(journey);
    await ensureSame((await browser.submit('consent', { accepted: true })).body);
    await ensureSame((await browser.submit('one', { name: 'Ada' })).body);
    const repeat = async (step: string) =>
      browser.post(`/steps/${step}/again`, { revision: (await browser.get()).body.revision });
    await ensureSame((await repeat('one')).body);
    await ensureSame((await browser.submit('one', { name: 'Grace' })).body);
    await browser.upload('document', 'front', Buffer.from('{}'), 'application/json');
    await ensureSame((await browser.submit('document')).body);
    const passed = { name: 'documentType', type: 'document', status: 'PASSED' } as const;
    await grove.apply(id, { type: 'findings', step: 'document', attempt: 1, findings: { checks: [passed] } });
    const { body: corrected } = await repeat('document');
    assert.deepEqual(corrected.step.images, ['front']);
    await ensureSame(corrected);
  });

  it('corrections of a journey add no attempts to the current step', async () => {
    const { id, browser, repeat } = await start([CONSENT, DOCUMENT, DECIDE]);
    await browser.submit('consent', { accepted: true });
    const failed = { name: 'documentType', type: 'document', status: 'FAILED', reason: 'x', advice: 'retry' } as const;
    const fail = async (attempt: number) => {
      const trigger = { type: 'submit', step: 'document', result: {}, images: ['front'] } as const;
      await grove.apply(id, trigger);
      await grove.apply(id, { type: 'findings', step: 'document', attempt, findings: { checks: [failed] } });
    };
    await fail(1);
    assert.equal((await browser.get()).body.step.triesLeft, 2);
    await repeat('consent');
    await browser.submit('consent', { accepted: true });
    const { step } = (await browser.get()).body;
    assert.deepEqual([step.id, step.attempt, step.triesLeft, step.fault.reason], ['document', 2, 2, 'x']);
  });

  it('100232: corrections of a journey are refused for a step that is not done, for the current one, and beyond their limit', async () => {
    const { browser, repeat } = await start([CONSENT, form('one'), DECIDE]);
    assert.equal((await repeat('consent')).body.code, 100232);
    await browser.submit('consent', { accepted: true });
    for (const stepId of ['one', 'decide', 'nothing']) {
      assert.deepEqual([(await repeat(stepId)).status, (await repeat(stepId)).body.code], [409, 100232], stepId);
    }
    assert.equal((await repeat('consent', 0)).body.code, 100056);
    for (let at = 0; at < MAX_CORRECTIONS; at++) {
      assert.equal((await repeat('consent')).status, 200);
      await browser.submit('consent', { accepted: true });
    }
    assert.deepEqual(idsOf((await browser.get()).body), []);
    assert.equal((await repeat('consent')).body.code, 100232);
  });

  it('corrections of a journey are not offered for steps before one with an effect outside of the journey', async () => {
    const webhook: Step = { id: 'tell', type: 'webhook', name: 'any' };
    const { browser } = await start([form('one'), webhook, form('two'), form('three'), DECIDE]);
    await browser.submit('one', {});
    assert.deepEqual(idsOf((await browser.get()).body), []);
    await browser.submit('two', {});
    assert.deepEqual(idsOf((await browser.get()).body), ['two']);
  });
});
