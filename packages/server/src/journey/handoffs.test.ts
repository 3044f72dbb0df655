import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines } from '../../test/harness.ts';
import { type Browser, codeOf, openTestJourney, type TestJourney } from '../../test/journey.ts';
import { MINUTE } from '../kernel/clock.ts';

const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile/15E148 Safari/604.1';

onBothEngines('the hand-off of a journey to another device', (_engine, places) => {
  let grove: TestJourney;
  before(async () => {
    grove = await openTestJourney(await places.create());
  });
  after(() => grove.stop());

  const desktop = async (): Promise<Browser> => {
    const { code } = await grove.instance();
    const browser = grove.browser();
    await browser.open({ code });
    return browser;
  };
  const offered = async (from: Browser) => {
    const { status, body } = await from.post('/handoffs');
    assert.equal(status, 200, JSON.stringify(body));
    return { code: codeOf(body.url), number: body.number as number, expiringDtm: body.expiringDtm as string };
  };
  /** A desktop that has created a hand-off, and a phone that has opened it. */
  const pair = async () => {
    const first = await desktop();
    const { code, number } = await offered(first);
    const phone = grove.browser(PHONE);
    const { body } = await phone.open({ code });
    return { first, phone, number, handoff: body.handoff };
  };
  const confirm = (phone: Browser, number: number) => phone.post('/handoffs/confirm', { number });
  const states = async (browser: Browser) =>
    (await grove.sessions(browser.instanceId)).map(({ state }) => state).sort();
  const stateOf = async (browser: Browser) => {
    const { device } = (await browser.get()).body;
    return `${device.active ? 'active' : 'looking'} ${device.handoff}`;
  };

  it('the phone becomes the active device once its holder has picked the number, and the first device can only watch', async () => {
    const { first, phone, number, handoff } = await pair();
    assert.ok(number >= 10 && number <= 99);
    assert.deepEqual([handoff.tenantName, handoff.browser], ['Name of acme', 'Chrome on Windows']);
    assert.equal(Date.parse(handoff.offeredDtm), grove.clock.now());
    assert.equal(new Set(handoff.numbers).size, 3);
    assert.ok(handoff.numbers.includes(number));
    assert.deepEqual([await stateOf(first), await stateOf(phone)], ['active CONFIRMING', 'looking CONFIRMING']);
    const { status, body } = await confirm(phone, number);
    assert.deepEqual([status, body.step.id, body.device], [200, 'consent', { active: true, handoff: 'CONNECTED' }]);
    assert.equal(await stateOf(first), 'looking CONNECTED');
    assert.equal((await phone.submit('consent', { accepted: true })).status, 200);
    assert.equal((await first.get()).body.step.id, 'document');
  });

  it('100058: a device that only watches, or has not picked the number, changes nothing; without the number it sees nothing either', async () => {
    const { first, phone, number } = await pair();
    const { body } = await phone.get();
    assert.deepEqual(Object.keys(body).sort(), [
      'correctable',
      'device',
      'environment',
      'minutes',
      'needs',
      'processInstanceId',
      'progress',
      'retentionDays',
      'revision',
      'status',
      'statusMapped',
      'stepTypes',
      'tenantName',
      'themeUrl',
    ]);
    assert.deepEqual([body.progress, body.stepTypes, body.retentionDays], [{ position: 0, total: 0 }, [], 0]);
    assert.deepEqual([body.needs, body.minutes], [[], 0]);
    assert.deepEqual(body.correctable, []);
    const attempts = (browser: Browser) => [
      browser.post('/steps/consent', { revision: 1, result: { accepted: true } }),
      browser.upload('document', 'front', new Uint8Array([1])),
      browser.post('/abandon'),
      browser.post('/handoffs'),
    ];
    for (const attempt of attempts(phone)) assert.equal((await attempt).body.code, 100058);
    await confirm(phone, number);
    for (const attempt of attempts(first)) assert.equal((await attempt).body.code, 100058);
    assert.equal((await first.get()).body.step.id, 'consent');
  });

  it('100064: a wrong number ends the hand-off, is recorded, and cannot be tried again', async () => {
    const { first, phone, number, handoff } = await pair();
    const wrong = handoff.numbers.find((each: number) => each !== number);
    assert.equal((await confirm(phone, wrong)).body.code, 100064);
    assert.equal((await confirm(phone, number)).body.code, 100064);
    assert.equal((await phone.post('/handoffs/deny')).body.code, 100064);
    assert.equal((await phone.get()).body.code, 100054);
    assert.equal((await phone.fetch('/events')).status, 401);
    assert.deepEqual((await grove.events(first.instanceId)).at(-1), 'instance.handoffRefused');
    assert.deepEqual(await states(first), ['ACTIVE', 'CLOSED']);
    assert.equal(await stateOf(first), 'active NONE');
  });

  it('100064: a denial on the phone ends the hand-off, and is recorded', async () => {
    const { first, phone, number } = await pair();
    const { status, text } = await phone.post('/handoffs/deny');
    assert.deepEqual([status, text], [204, '']);
    assert.equal((await confirm(phone, number)).body.code, 100064);
    assert.deepEqual((await grove.events(first.instanceId)).at(-1), 'instance.handoffDenied');
    assert.equal(await stateOf(first), 'active NONE');
  });

  it('100064: a journey without a hand-off has nothing to confirm, deny or take back', async () => {
    const browser = await desktop();
    assert.equal((await confirm(browser, 10)).body.code, 100064);
    assert.equal((await browser.post('/handoffs/deny')).body.code, 100064);
    assert.equal((await browser.post('/handoffs/takeBack')).body.code, 100064);
    const resumed = grove.browser();
    await resumed.open({ code: await grove.resumeCode(browser.instanceId) });
    assert.equal((await browser.post('/handoffs/takeBack')).body.code, 100064);
  });

  it('the first device can take the journey back, and then the phone can only watch', async () => {
    const { first, phone, number } = await pair();
    await confirm(phone, number);
    assert.equal((await phone.post('/handoffs/takeBack')).body.code, 100064);
    const { status, body } = await first.post('/handoffs/takeBack');
    assert.deepEqual([status, body.device], [200, { active: true, handoff: 'NONE' }]);
    assert.equal(await stateOf(phone), 'looking NONE');
    assert.equal((await phone.submit('consent', { accepted: true })).body.code, 100058);
    assert.equal((await first.submit('consent', { accepted: true })).status, 200);
  });

  it('a hand-off that nobody has confirmed can be withdrawn', async () => {
    const { first, phone, number } = await pair();
    assert.equal((await first.post('/handoffs/takeBack')).status, 200);
    assert.equal((await confirm(phone, number)).body.code, 100064);
    const { code } = await offered(first);
    assert.equal(await stateOf(first), 'active OFFERED');
    assert.equal((await first.post('/handoffs/takeBack')).status, 200);
    assert.equal((await grove.browser().open({ code })).body.code, 100055);
  });

  it('100055: a new hand-off ends the previous one, also if a phone has opened it', async () => {
    const { first, phone, number } = await pair();
    const second = await offered(first);
    assert.equal((await confirm(phone, number)).body.code, 100064);
    const third = await offered(first);
    assert.equal((await grove.browser().open({ code: second.code })).body.code, 100055);
    assert.equal((await grove.browser().open({ code: third.code })).status, 200);
  });

  it('100055: a hand-off is valid for five minutes, and so is its number', async () => {
    const first = await desktop();
    const { code, expiringDtm } = await offered(first);
    assert.equal(Date.parse(expiringDtm), grove.clock.now() + 5 * MINUTE);
    grove.clock.advance(5 * MINUTE);
    assert.equal((await grove.browser().open({ code })).body.code, 100055);
    assert.equal(await stateOf(first), 'active NONE');
    const { phone, number } = await pair();
    grove.clock.advance(5 * MINUTE);
    assert.equal((await confirm(phone, number)).body.code, 100064);
  });

  it('100055: a hand-off ends when another browser becomes the active device', async () => {
    const first = await desktop();
    const { code } = await offered(first);
    await grove.browser().open({ code: await grove.resumeCode(first.instanceId) });
    assert.equal((await grove.browser().open({ code })).body.code, 100055);
  });

  it('100057: a journey that has ended cannot be handed off', async () => {
    const { first, phone, number } = await pair();
    await grove.apply(first.instanceId, { type: 'expire' });
    assert.equal((await first.post('/handoffs')).body.code, 100057);
    assert.equal((await confirm(phone, number)).body.code, 100057);
    assert.equal((await first.post('/handoffs/takeBack')).body.code, 100057);
  });

  it('100054, 100055: the browser that opened a stolen link learns neither how far the journey gets nor how it ends', async () => {
    const { first, phone } = await pair();
    const opened = await desktop();
    const { code } = await offered(opened);
    const { body: before } = await phone.get();
    assert.equal((await first.submit('consent', { accepted: true })).status, 200);
    const { body: later } = await phone.get();
    assert.deepEqual([later.status, later.statusMapped, later.revision], [before.status, before.statusMapped, 0]);
    for (const { instanceId } of [first, opened]) await grove.apply(instanceId, { type: 'expire' });
    assert.equal((await phone.get()).body.code, 100054);
    assert.equal((await grove.browser(PHONE).open({ code })).body.code, 100055);
  });

  it('exactly one device of a journey is active at any time, whatever is requested at once', async () => {
    for (let round = 0; round < 5; round++) {
      const { first, phone, number } = await pair();
      const resume = await grove.resumeCode(first.instanceId);
      const answers = await Promise.all([
        confirm(phone, number),
        confirm(phone, number),
        first.post('/handoffs/takeBack'),
        grove.browser().open({ code: resume }),
        first.post('/handoffs'),
      ]);
      for (const { status } of answers) assert.ok(status < 500, JSON.stringify(answers.map(({ body }) => body)));
      assert.equal((await states(first)).filter((state) => state === 'ACTIVE').length, 1);
    }
  });

  it('a hand-off code is redeemed by only one phone', async () => {
    const first = await desktop();
    const { code } = await offered(first);
    const answers = await Promise.all(Array.from({ length: 6 }, () => grove.browser(PHONE).open({ code })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(5).fill(410)]);
    assert.deepEqual(await states(first), ['ACTIVE', 'UNCONFIRMED']);
  });
});
