import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testPlaces } from '../../test/harness.ts';
import { PNG } from '../../test/images.ts';
import { type Browser, openTestJourney, type TestJourney } from '../../test/journey.ts';

/** The refusals that all operations of a journey share, tested for each. */
type Ask = { method: 'GET' | 'POST'; path: string; query?: string; body?: object; image?: true };

const STEP = '/steps/consent';
/** The public half of any key on P-256. */
const FRAME_KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
};

const ACTS: readonly Ask[] = [
  { method: 'POST', path: STEP, body: { revision: 1, result: { accepted: true } } },
  { method: 'POST', path: `${STEP}/images/front`, image: true },
  { method: 'POST', path: `${STEP}/challenges`, body: { publicKey: FRAME_KEY } },
  {
    method: 'POST',
    path: `${STEP}/challenges/01JZ4MCW8A0C2E4G6J8M0P2R4T/frames`,
    body: {},
    query: `?token=t&signature=${'A'.repeat(86)}`,
  },
  { method: 'POST', path: '/simulation', body: { scenario: 'passed' } },
  { method: 'POST', path: `${STEP}/again`, body: { revision: 1 } },
  { method: 'POST', path: `${STEP}/begin` },
  { method: 'POST', path: `${STEP}/left` },
  { method: 'POST', path: '/abandon' },
  { method: 'POST', path: '/handoffs' },
];
const HANDOFFS: readonly Ask[] = [
  { method: 'POST', path: '/handoffs/confirm', body: { number: 7 } },
  { method: 'POST', path: '/handoffs/takeBack' },
];
const SENDS: readonly Ask[] = [
  { method: 'POST', path: '/handoffs/send', body: { channel: 'EMAIL', to: 'ada@example.com' } },
  { method: 'POST', path: '/notices', body: { to: 'ada@example.com' } },
];
const DENY: Ask = { method: 'POST', path: '/handoffs/deny' };
const LOOKS: readonly Ask[] = [
  { method: 'GET', path: '' },
  { method: 'GET', path: '/events' },
];
/** Changes nothing, but is only for the active device. */
const SEE: Ask = { method: 'GET', path: '/steps/consent/images/front' };
const CHANGES = [...ACTS, ...HANDOFFS, ...SENDS, DENY];
const LOOK_AT_OUTCOMES: Ask = { method: 'GET', path: '/simulation' };
const ALL = [...CHANGES, ...LOOKS, SEE, LOOK_AT_OUTCOMES];

describe('every operation of a journey', () => {
  const places = testPlaces();
  let grove: TestJourney;
  before(async () => {
    grove = await openTestJourney(await places.create());
  });
  after(() => grove.stop());

  const begin = async (): Promise<Browser> => {
    const { code } = await grove.instance();
    const browser = grove.browser();
    assert.equal((await browser.open({ code })).status, 200);
    return browser;
  };
  const codeOf = async (browser: Browser, ask: Ask, headers: Record<string, string> = {}) => {
    const { method, path, query = '', body, image } = ask;
    const answer = await browser.fetch(`${path}${query}`, {
      method,
      headers: { 'content-type': image ? 'image/png' : 'application/json', ...headers },
      ...(method === 'POST' && { body: image ? new Uint8Array(PNG) : JSON.stringify(body ?? {}) }),
    });
    const text = await answer.text();
    return text.startsWith('{') ? (JSON.parse(text) as { code?: number }).code : undefined;
  };

  for (const ask of ALL) {
    it(`100054: ${ask.method} ${ask.path || '/'} is refused without the cookie`, async () => {
      const browser = await begin();
      browser.cookies.clear();
      assert.equal(await codeOf(browser, ask), 100054);
    });
  }

  for (const ask of CHANGES) {
    it(`100067: ${ask.path} is refused for a request of another site`, async () => {
      const browser = await begin();
      assert.equal(await codeOf(browser, ask, { 'sec-fetch-site': 'cross-site' }), 100067);
      assert.equal(await codeOf(browser, ask, { origin: 'https://evil.example' }), 100067);
    });
  }

  for (const ask of [...CHANGES, SEE, LOOK_AT_OUTCOMES]) {
    it(`100022: ${ask.path} is refused if the instance is deleted meanwhile`, async () => {
      const browser = await begin();
      const text = 'DELETE FROM process_instances WHERE tenant_id = $1 AND id = $2';
      grove.meanwhile.run = () => grove.acme.write((tx) => tx.run({ text }, ['acme', browser.instanceId]));
      assert.equal(await codeOf(browser, ask), 100022);
    });
  }

  for (const ask of [...ACTS, ...HANDOFFS, ...SENDS, SEE]) {
    it(`100057: ${ask.path} is refused once the journey has ended`, async () => {
      const browser = await begin();
      await browser.post('/abandon');
      assert.equal(await codeOf(browser, ask), 100057);
    });
  }

  for (const ask of [...ACTS, SEE, LOOK_AT_OUTCOMES]) {
    it(`100058: ${ask.path} is refused for a device that only watches`, async () => {
      const browser = await begin();
      await grove.browser().open({ code: await grove.resumeCode(browser.instanceId) });
      assert.equal(await codeOf(browser, ask), 100058);
    });
  }

  for (const ask of [...HANDOFFS, DENY]) {
    it(`100064: ${ask.path} is refused if there is no hand-off`, async () => {
      assert.equal(await codeOf(await begin(), ask), 100064);
    });
  }

  for (const [code, what, change] of [
    [100024, 'is not active', "status = 'INACTIVE'"],
    [100044, 'has expired', 'not_after_at = 1'],
    [100045, 'is not valid yet', 'not_before_at = 9000000000000000'],
    [100046, 'is used up', "type = 'MULTI_USE_COUNT_LIMITED', max_count = 1, counter = 1"],
  ] as const) {
    it(`${code}: no journey is started with a process token that ${what}`, async () => {
      const pt = await grove.token();
      const text = `UPDATE process_tokens SET ${change} WHERE tenant_id = $1 AND id = $2`;
      await grove.acme.write((tx) => tx.run({ text }, ['acme', pt]));
      assert.equal((await grove.browser().open({ pt, tn: 'acme' })).body.code, code);
    });
  }

  it('100047: no journey is started with a definition that is no longer deployed', async () => {
    const pt = await grove.token();
    const text = `UPDATE process_definitions SET status = 'ARCHIVED' WHERE tenant_id = $1
      AND id = (SELECT definition_id FROM process_tokens WHERE tenant_id = $1 AND id = $2)`;
    await grove.acme.write((tx) => tx.run({ text }, ['acme', pt]));
    assert.equal((await grove.browser().open({ pt, tn: 'acme' })).body.code, 100047);
  });

  it('100067: no journey is started by a request of another site', async () => {
    const { code } = await grove.instance();
    const body = JSON.stringify({ code });
    const init = { method: 'POST', body, headers: { 'sec-fetch-site': 'cross-site' } };
    assert.equal((await grove.http.call('/api/journey/sessions', init)).body.code, 100067);
  });
});
