import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type TestClock, testClock } from '../../../test/harness.ts';
import { openPushProviders, type PushProviders } from '../../../test/push-providers.ts';
import { HOUR } from '../../kernel/clock.ts';
import { parseAllowList } from '../outbound/allow-list.ts';
import { type Http2, openHttp2 } from '../outbound/http2.ts';
import { type Outbound, openOutbound } from '../outbound/outbound.ts';
import { FAILURES_UNTIL_OPEN } from './breaker.ts';
import { openPush, type ProviderName, type SendPush } from './push.ts';

describe('the client of the push providers', () => {
  let providers: PushProviders;
  let outbound: Outbound;
  let http2: Http2;
  let clock: TestClock;
  let push: SendPush;
  before(async () => {
    providers = await openPushProviders();
    const allow = parseAllowList(providers.allow.split(','));
    assert.ok(allow);
    outbound = openOutbound({ allow });
    http2 = openHttp2({ allow });
  });
  after(async () => {
    outbound.close();
    http2.close();
    await providers.close();
  });
  beforeEach(() => {
    clock = testClock();
    push = openPush({ outbound, http2, clock });
    providers.arrived.length = 0;
    for (const provider of ['APNS', 'FCM', 'WEB_PUSH'] as const) delete providers.answers[provider];
  });

  const apple = randomBytes(32).toString('hex');
  const send = (provider: ProviderName, token: string, settings = providers.settings as object, owner = 'bank') =>
    push({ owner, provider, token, settings }, { id: 'one', message: 'Hi', data: {}, expiresAt: clock.now() + HOUR });

  it('the client of the push providers understands the answers of each provider', async () => {
    const browser = providers.subscribe('words');
    const cases = [
      ['APNS', apple, 400, { reason: 'BadDeviceToken' }, 'DEAD_TOKEN'],
      ['APNS', apple, 403, { reason: 'InvalidProviderToken' }, 'FAILED'],
      ['APNS', apple, 413, { reason: 'PayloadTooLarge' }, 'FAILED'],
      ['APNS', apple, 429, { reason: 'TooManyRequests' }, 'LATER'],
      ['APNS', apple, 503, {}, 'LATER'],
      ['FCM', 'g', 403, { error: { details: [{ errorCode: 'SENDER_ID_MISMATCH' }] } }, 'DEAD_TOKEN'],
      ['FCM', 'g', 400, { error: { details: [{ errorCode: 'INVALID_ARGUMENT' }] } }, 'FAILED'],
      ['FCM', 'g', 429, { error: { details: 'what' } }, 'LATER'],
      ['FCM', 'g', 500, {}, 'LATER'],
      ['WEB_PUSH', browser, 404, {}, 'DEAD_TOKEN'],
      ['WEB_PUSH', browser, 403, {}, 'FAILED'],
      ['WEB_PUSH', browser, 429, {}, 'LATER'],
    ] as const;
    for (const [provider, token, status, body, kind] of cases) {
      providers.answers[provider] = () => ({ status, body });
      assert.equal((await send(provider, token)).kind, kind, `${provider} ${status}`);
    }
  });

  it('the client of the push providers gets a new token when the old one has expired, by the clock or as the provider says', async () => {
    const authorization = () => providers.of('APNS').at(-1)?.headers.authorization;
    await send('APNS', apple);
    const first = authorization();
    await send('APNS', apple);
    assert.equal(authorization(), first);
    providers.answers.APNS = () => ({ status: 403, body: { reason: 'ExpiredProviderToken' } });
    clock.advance(1000);
    assert.equal((await send('APNS', apple)).kind, 'LATER');
    delete providers.answers.APNS;
    await send('APNS', apple);
    assert.notEqual(authorization(), first);
    const { accessTokens } = providers.state;
    await send('FCM', 'g');
    providers.answers.FCM = () => ({ status: 401 });
    assert.equal((await send('FCM', 'g')).kind, 'LATER');
    delete providers.answers.FCM;
    assert.equal((await send('FCM', 'g')).kind, 'SENT');
    clock.advance(HOUR);
    assert.equal((await send('FCM', 'g')).kind, 'SENT');
    assert.equal(providers.state.accessTokens - accessTokens, 3);
  });

  it('the client of the push providers stops asking a provider that is down, and the others go on', async () => {
    let calls = 0;
    providers.answers.FCM = () => {
      calls += 1;
      return { status: 503 };
    };
    for (let at = 0; at < FAILURES_UNTIL_OPEN + 10; at++) assert.equal((await send('FCM', 'g')).kind, 'LATER');
    assert.equal(calls, FAILURES_UNTIL_OPEN);
    assert.equal((await send('APNS', apple)).kind, 'SENT');
  });

  it('the client of the push providers still sends for others when settings or tokens of one owner lead to a server that is down', async () => {
    // Nobody listens on port 1.
    const allow = parseAllowList([...providers.allow.split(','), '127.0.0.1:1']);
    assert.ok(allow);
    const wider = openOutbound({ allow });
    push = openPush({ outbound: wider, http2, clock });
    const nowhere = 'http://127.0.0.1:1';
    const badToken = { ...providers.settings, fcm: { ...providers.settings.fcm, tokenUri: `${nowhere}/token` } };
    const good = providers.subscribe('honest');
    const subscription = JSON.parse(good);
    // The token names the honest service as well, but it is sent to another address.
    const bad = JSON.stringify({ of: { endpoint: subscription.endpoint }, ...subscription, endpoint: `${nowhere}/x` });
    try {
      for (let at = 0; at < FAILURES_UNTIL_OPEN; at++) {
        assert.equal((await send('FCM', 'g', badToken, 'hostile')).kind, 'LATER');
        assert.equal((await send('WEB_PUSH', bad)).kind, 'LATER');
        assert.equal((await send('FCM', 'g', badToken)).kind, 'LATER');
      }
      assert.equal((await send('FCM', 'g')).kind, 'SENT');
      assert.equal((await send('WEB_PUSH', good)).kind, 'SENT');
      providers.answers.WEB_PUSH = () => ({ status: 503 });
      for (let at = 0; at < FAILURES_UNTIL_OPEN; at++) await send('WEB_PUSH', good, providers.settings, 'hostile');
      delete providers.answers.WEB_PUSH;
      assert.equal((await send('WEB_PUSH', good)).kind, 'SENT');
    } finally {
      wider.close();
    }
  });

  it('the client of the push providers fails if a provider is not configured, or its keys are invalid', async () => {
    assert.equal((await send('APNS', apple, {})).kind, 'FAILED');
    const { apns, fcm, webPush } = providers.settings;
    const broken = {
      apns: { ...apns, privateKey: 'x' },
      fcm: { ...fcm, privateKey: 'x', clientEmail: 'other' },
      webPush: { ...webPush, privateKey: 'x' },
    };
    for (const [provider, token] of [
      ['APNS', apple],
      ['FCM', 'g'],
      ['WEB_PUSH', providers.subscribe('broken')],
    ] as const) {
      assert.equal((await send(provider, token, broken)).kind, 'FAILED', provider);
    }
  });
});
