import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';

const NEVER = '1970-01-01T00:00:00.000Z';
const DEFAULT_BUDGET = { personsPerHour: 10_000, block: false };

onBothEngines('the settings of journeys', (_engine, places) => {
  let grove: TestApp;
  before(async () => {
    grove = await openTestApp(await places.create());
  });
  after(() => grove.stop());
  const PATH = '/api/process-manager/settings';
  const update = (body: unknown) => grove.call(PATH, { method: 'POST', body: JSON.stringify(body) });

  it('the settings of journeys allow no redirects at first', async () => {
    const { status, body } = await grove.call(PATH);
    assert.deepEqual(
      [status, body],
      [
        200,
        {
          redirectOrigins: [],
          embedOrigins: [],
          allowSpecimens: false,
          readBudget: DEFAULT_BUDGET,
          lenientRequests: false,
          fourEyes: false,
          secondReviewPercent: 0,
          reviewReasons: [],
          reviewDueHours: 0,
          reviewQueues: [],
          lastUpdatedDtm: NEVER,
        },
      ],
    );
  });

  it('100351: the settings of journeys are created by only one of many who try at once', async () => {
    const query = `?ifLastUpdatedDtm=${encodeURIComponent(NEVER)}`;
    const token = await grove.token();
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((reason) =>
        grove.call(`${PATH}${query}`, { method: 'POST', token, body: JSON.stringify({ reviewReasons: [reason] }) }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409, 409, 409, 409]);
    await update({ reviewReasons: [] });
  });

  it('the settings of journeys store origins in one spelling, each once', async () => {
    const origins = ['https://WWW.Example.com/', 'https://www.example.com:443', 'http://localhost:3000', 'MyApp:'];
    const expectedSettings = {
      redirectOrigins: ['https://www.example.com', 'http://localhost:3000', 'myapp:'],
      embedOrigins: [],
      allowSpecimens: false,
      readBudget: DEFAULT_BUDGET,
      lenientRequests: false,
      fourEyes: false,
      secondReviewPercent: 0,
      reviewReasons: [],
      reviewDueHours: 0,
      reviewQueues: [],
    };
    const { status, body } = await update({ redirectOrigins: origins });
    const { lastUpdatedDtm } = body;
    assert.equal(Date.parse(lastUpdatedDtm), grove.clock.now());
    assert.deepEqual([status, body], [200, { ...expectedSettings, lastUpdatedDtm }]);
    assert.deepEqual((await grove.call(PATH)).body, { ...expectedSettings, lastUpdatedDtm });
  });

  it('100351: the settings of journeys cannot be changed by a caller who has read an older version, and only by one of many at once', async () => {
    const { lastUpdatedDtm } = (await update({ fourEyes: false })).body;
    const change = (reviewReasons: string[], ifLastUpdatedDtm: string) =>
      grove.call(`${PATH}?ifLastUpdatedDtm=${encodeURIComponent(ifLastUpdatedDtm)}`, {
        method: 'POST',
        body: JSON.stringify({ reviewReasons }),
      });
    grove.clock.advance(1000);
    const answers = await Promise.all(['a', 'b', 'c'].map((reason) => change([reason], lastUpdatedDtm)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409]);
    assert.equal(answers.find(({ status }) => status === 409)?.body.code, 100351);
    const fresh = (await grove.call(PATH)).body.lastUpdatedDtm;
    assert.equal((await change([], fresh)).status, 200);
  });

  it('the settings of journeys allow specimens if requested, and keep that if an update does not name it', async () => {
    const allowed = await update({ redirectOrigins: [], allowSpecimens: true });
    assert.deepEqual([allowed.status, allowed.body.allowSpecimens], [200, true]);
    assert.equal((await update({ redirectOrigins: ['https://a.example'] })).body.allowSpecimens, true);
    assert.deepEqual((await update({ lenientRequests: true })).body.redirectOrigins, ['https://a.example']);
    await update({ lenientRequests: false, fourEyes: false });
    assert.equal((await update({ redirectOrigins: [], allowSpecimens: false })).body.allowSpecimens, false);
  });

  it('the settings of journeys contain the reasons that reviewers choose from, at most nine', async () => {
    const reasons = ['The portrait is of somebody else', 'Das Bild ist unscharf'];
    assert.deepEqual((await update({ reviewReasons: reasons })).body.reviewReasons, reasons);
    assert.equal((await update({ reviewReasons: Array.from({ length: 10 }, (_, at) => `reason ${at}`) })).status, 400);
    assert.deepEqual((await update({ reviewReasons: [] })).body.reviewReasons, []);
  });

  it('the settings of journeys contain the queues of reviewers, each name once', async () => {
    const reviewQueues = [{ name: 'Passports', processDefnNames: ['document-only', 'document-and-selfie'] }];
    assert.deepEqual((await update({ reviewQueues })).body.reviewQueues, reviewQueues);
    const twice = [...reviewQueues, { name: 'passports', processDefnNames: ['x'] }];
    const { status, body } = await update({ reviewQueues: twice });
    assert.deepEqual([status, body.errors[0].pointer], [400, '/reviewQueues/1/name']);
    assert.equal((await update({ reviewQueues: [{ name: 'Empty', processDefnNames: [] }] })).status, 400);
    assert.deepEqual((await update({ reviewQueues: [] })).body.reviewQueues, []);
  });

  it('the settings of journeys refuse with 100001 each invalid origin, and do not change', async () => {
    const before = (await grove.call(PATH)).body;
    const { status, body } = await update({
      redirectOrigins: ['https://ok.example', 'javascript:', 'http://x.example'],
    });
    assert.deepEqual([status, body.code], [400, 100001]);
    assert.deepEqual(
      body.errors.map(({ pointer }: { pointer: string }) => pointer),
      ['/redirectOrigins/1', '/redirectOrigins/2'],
    );
    assert.deepEqual((await grove.call(PATH)).body, before);
  });

  it('the settings of journeys list whose pages may frame a journey: no app, no path, no wildcard, each once', async () => {
    const { body } = await update({ embedOrigins: ['https://Shop.example', 'https://shop.example/'] });
    assert.deepEqual(body.embedOrigins, ['https://shop.example']);
    for (const wrong of ['myapp:', 'https://*.example', 'https://a.example/x', 'null', '*', "'self'"]) {
      const refusal = await update({ embedOrigins: [wrong] });
      assert.deepEqual([refusal.status, refusal.body.errors?.[0]?.pointer], [400, '/embedOrigins/0'], wrong);
    }
    assert.deepEqual((await update({ embedOrigins: [] })).body.embedOrigins, []);
  });

  it('the settings of journeys contain at most a hundred origins of at most 255 characters', async () => {
    const many = Array.from({ length: 101 }, (_, at) => `https://h${at}.example`);
    assert.equal((await update({ redirectOrigins: many })).body.code, 100001);
    assert.equal((await update({ redirectOrigins: many.slice(1) })).status, 200);
    assert.equal((await update({ redirectOrigins: [`https://${'x'.repeat(255)}.example`] })).body.code, 100001);
    for (const wrong of [
      { redirectOrigin: [] },
      { redirectOrigins: 'https://a.example' },
      { redirectOrigins: [null] },
    ]) {
      assert.equal((await update(wrong)).body.code, 100001);
    }
  });

  it('the settings of journeys are separate for each tenant', async () => {
    await update({ redirectOrigins: ['https://acme.example'] });
    const { apiKey } = await grove.app.tenants.create({ id: 'other' });
    const token = await grove.token(apiKey);
    assert.deepEqual((await grove.call(PATH, { token })).body, {
      redirectOrigins: [],
      embedOrigins: [],
      allowSpecimens: false,
      readBudget: DEFAULT_BUDGET,
      lenientRequests: false,
      fourEyes: false,
      secondReviewPercent: 0,
      reviewReasons: [],
      reviewDueHours: 0,
      reviewQueues: [],
      lastUpdatedDtm: NEVER,
    });
  });
});
