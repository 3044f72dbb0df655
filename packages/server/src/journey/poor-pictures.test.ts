import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines } from '../../test/harness.ts';
import { JPEG, PNG } from '../../test/images.ts';
import { type Browser, CONSENT, DECIDE, DOCUMENT, openTestJourney, type TestJourney } from '../../test/journey.ts';
import type { Check } from '../kernel/check.ts';
import { MINUTE } from '../kernel/clock.ts';

const STEPS = [CONSENT, { ...DOCUMENT, sides: 'both', triesPerSide: 3, useAnywayAfter: 2 }, DECIDE];

onBothEngines('poor photographs', (_engine, places) => {
  let grove: TestJourney;
  before(async () => {
    grove = await openTestJourney(await places.create());
  });
  after(() => grove.stop());

  const atDocument = async (): Promise<Browser> => {
    const { code } = await grove.instance({ steps: STEPS });
    const browser = grove.browser();
    await browser.open({ code });
    await browser.submit('consent', { accepted: true });
    return browser;
  };
  const stepOf = async (browser: Browser) => (await browser.get()).body.step;
  const send = async (browser: Browser, ...names: string[]) => {
    for (const name of names) assert.equal((await browser.upload('document', name, PNG)).status, 200);
    assert.equal((await browser.submit('document')).status, 200);
  };
  const tell = (browser: Browser, attempt: number, faults: Record<string, string>) => {
    const pictures = Object.entries(faults).map(([picture, reason]) => ({ picture, reasons: [reason] }));
    const [reason] = Object.values(faults);
    const check: Check = reason
      ? { name: 'documentQuality', type: 'document', status: 'FAILED', reason, advice: 'retry' }
      : { name: 'documentQuality', type: 'document', status: 'PASSED' };
    const findings = { checks: [check], pictures };
    return grove.apply(browser.instanceId, { type: 'findings', step: 'document', attempt, findings });
  };
  const useAnyway = async (browser: Browser) => {
    const { revision } = (await browser.get()).body;
    return browser.post('/steps/document', { revision, useAnyway: true });
  };
  const see = (browser: Browser, name: string) => browser.fetch(`/steps/document/images/${name}`);
  const checksOf = (browser: Browser) =>
    grove.acme.all<{ status: string; reason: string; meta_data: string }>(
      { text: 'SELECT status, reason, meta_data FROM instance_checks WHERE tenant_id = $1 AND instance_id = $2' },
      ['acme', browser.instanceId],
    );

  it('poor photographs are reported with their side and the remaining tries, and only that side is requested again', async () => {
    const browser = await atDocument();
    assert.equal((await stepOf(browser)).triesLeft, 3);
    await send(browser, 'front', 'back');
    await tell(browser, 1, { back: 'glare' });
    const { attempt, triesLeft, images, fault, mayUseAnyway } = await stepOf(browser);
    assert.deepEqual(
      [attempt, triesLeft, images, fault, mayUseAnyway],
      [2, 2, ['front'], { reason: 'glare', advice: 'retry', picture: 'back' }, undefined],
    );
    await send(browser, 'back');
  });

  it('100155: poor photographs can be used only when that is offered, and then go to a human', async () => {
    const browser = await atDocument();
    assert.equal((await useAnyway(browser)).body.code, 100155);
    await send(browser, 'front', 'back');
    assert.equal((await useAnyway(browser)).body.code, 100056);
    await tell(browser, 1, { front: 'blurred' });
    assert.equal((await useAnyway(browser)).body.code, 100155);
    await send(browser, 'front');
    await tell(browser, 2, { front: 'blurred' });
    assert.equal((await stepOf(browser)).mayUseAnyway, true);
    const used = await useAnyway(browser);
    assert.deepEqual([used.status, used.body.waitingFor], [200, 'check']);
    assert.equal((await useAnyway(browser)).body.code, 100056);
    await tell(browser, 3, { front: 'blurred' });
    const [check] = await checksOf(browser);
    assert.deepEqual([check?.status, check?.reason], ['REVIEW', 'blurred']);
    assert.equal(JSON.parse(check?.meta_data ?? '{}').anyway, 'chosen');
    assert.equal((await browser.get()).body.result.outcome, 'received');
  });

  it('poor photographs that are used are the latest image of each side', async () => {
    const browser = await atDocument();
    await send(browser, 'front', 'back');
    await tell(browser, 1, { front: 'blurred' });
    await send(browser, 'front');
    await tell(browser, 2, { front: 'blurred' });
    await browser.upload('document', 'front', JPEG, 'image/jpeg');
    await useAnyway(browser);
    const rows = await grove.acme.all<{ name: string; attempt: number; bytes: number }>(
      {
        text: `SELECT name, attempt, bytes FROM instance_images WHERE tenant_id = $1 AND instance_id = $2
          AND attempt = 3 ORDER BY name`,
      },
      ['acme', browser.instanceId],
    );
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['back', 'front'],
    );
  });

  it('100156: poor photographs can be viewed by the browser that sent them, as they were stored, and by nobody else', async () => {
    const browser = await atDocument();
    assert.equal((await see(browser, 'front')).status, 404);
    assert.equal((await (await see(browser, 'front')).json()).code, 100156);
    await browser.upload('document', 'front', PNG);
    const answer = await see(browser, 'front');
    assert.deepEqual(
      [answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')],
      [200, 'image/jpeg', 'no-store'],
    );
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.deepEqual(bytes.subarray(0, 3), Buffer.from([0xff, 0xd8, 0xff]));

    const other = await atDocument();
    other.instanceId = browser.instanceId;
    assert.equal((await (await see(other, 'front')).json()).code, 100054);
    await browser.upload('document', 'back', PNG);
    await browser.submit('document');
    assert.equal((await (await see(browser, 'front')).json()).code, 100056);
    await tell(browser, 1, { front: 'blurred' });
    assert.equal((await see(browser, 'front')).status, 200, 'what was poor is to be seen with what is wrong with it');
    const copy = `INSERT INTO instance_images (tenant_id, instance_id, step, attempt, name, blob_key, content_type, bytes,
      sha256, created_at) SELECT tenant_id, instance_id, step, attempt, 'portrait', blob_key, content_type, bytes, sha256,
      created_at FROM instance_images WHERE tenant_id = $1 AND instance_id = $2 AND name = 'front'`;
    await grove.acme.write((tx) => tx.run({ text: copy }, ['acme', browser.instanceId]));
    assert.equal((await see(browser, 'portrait')).status, 404, 'what was cut out of it is not for the end user');
    grove.clock.advance(31 * MINUTE);
    assert.equal((await see(browser, 'front')).status, 404, 'whoever comes much later does not see it');
  });

  it('100156: poor photographs cannot be viewed by a browser that continues the journey by a link sent later', async () => {
    const browser = await atDocument();
    await browser.upload('document', 'front', PNG);
    grove.clock.advance(1000);
    const stranger = grove.browser();
    await stranger.open({ code: await grove.resumeCode(browser.instanceId) });
    assert.equal((await (await see(stranger, 'front')).json()).code, 100156);
    await stranger.upload('document', 'front', PNG);
    assert.equal((await see(stranger, 'front')).status, 200);
  });

  it('100057: poor photographs cannot be viewed once the journey has ended', async () => {
    const browser = await atDocument();
    await browser.upload('document', 'front', PNG);
    await browser.post('/abandon', {});
    assert.equal((await (await see(browser, 'front')).json()).code, 100057);
  });
});
