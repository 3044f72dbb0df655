import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { onBothEngines, openTestApp, type TestApp, testPlaces } from '../../../test/harness.ts';
import { HOUR, MINUTE, SECOND, toDtm } from '../../kernel/clock.ts';

const PATH = '/api/arthr/apiKeys/issue';

onBothEngines('the exchange of an API key for a token', (_engine, places) => {
  let grove: TestApp;
  let place: Awaited<ReturnType<typeof places.create>>;
  before(async () => {
    place = await places.create();
    grove = await openTestApp(place);
  });
  after(() => grove.stop());
  const issue = (headers: Record<string, string>, body?: string) =>
    grove.call(PATH, { method: 'POST', token: null, headers, ...(body !== undefined && { body }) });
  const refusalOf = async (code: string) => {
    const { status, body } = await issue({ 'X-Api-Key': code });
    return [status, body.code];
  };
  let count = 0;
  const create = (more: object = {}) => {
    count += 1;
    return grove.client.apiKeys.create({
      body: { name: `issuing key ${count}`, permissions: ['TNT#acme#*'], ...more },
    });
  };
  const update = (key: { id: string | null }, body: object) =>
    grove.client.apiKeys.update({ apiKeyId: key.id as string, body });

  it('the exchange of an API key for a token answers { token, ttl } for every spelling of the header, and with a body, an empty body or none', async () => {
    for (const name of ['X-Api-Key', 'X-API-Key', 'X-ApiKey', 'x-apikey']) {
      const { status, body } = await issue({ [name]: grove.apiKey });
      assert.deepEqual([status, Object.keys(body), body.ttl], [200, ['token', 'ttl'], 3600]);
    }
    for (const body of [undefined, '', '{}', 'null']) {
      assert.equal((await issue({ 'X-Api-Key': grove.apiKey }, body)).status, 200, String(body));
    }
    const form = { 'X-Api-Key': grove.apiKey, 'Content-Type': 'application/x-www-form-urlencoded' };
    assert.equal((await issue(form, '')).status, 200);
    assert.equal((await issue({ 'X-Api-Key': grove.apiKey }, '{"ignored": true}')).status, 400);
  });

  it('271: the exchange refuses an unknown key, a wrong secret, a malformed key, and two headers that differ, all with the same answer', async () => {
    const wrongSecret = `${grove.apiKey.slice(0, -3)}AAA`;
    const unknown = grove.apiKey.replace(/_01[0-9A-Z]{24}_/, '_01M7EK55GPPBVSG5TAX910HKS7_');
    for (const code of [
      wrongSecret,
      unknown,
      'nonsense',
      `${grove.apiKey} `.repeat(2),
      `grv_test_${grove.apiKey.slice(9)}`,
    ]) {
      assert.deepEqual(await refusalOf(code), [401, 271], code);
    }
    const { body } = await issue({ 'X-Api-Key': grove.apiKey, 'X-ApiKey': wrongSecret });
    assert.equal(body.code, 271);
    const [one, other] = [await issue({ 'X-Api-Key': wrongSecret }), await issue({ 'X-Api-Key': unknown })];
    assert.deepEqual({ ...one.body, requestId: '' }, { ...other.body, requestId: '' });
  });

  it('100008: the exchange refuses a request without an API key', async () => {
    const { status, body } = await issue({});
    assert.deepEqual([status, body.code], [401, 100008]);
  });

  it('271: a BLOCKED or ARCHIVED key issues no token and its tokens end at once; an ACTIVE one works again', async () => {
    for (const state of ['BLOCKED', 'ARCHIVED']) {
      const key = await create();
      const token = await grove.token(key.code);
      assert.equal((await grove.call('/api/arthr/apiKeys', { token })).status, 200);
      await update(key, { status: state });
      assert.deepEqual(await refusalOf(key.code), [401, 271]);
      const { status, body } = await grove.call('/api/arthr/apiKeys', { token });
      assert.deepEqual([status, body.code], [401, 271]);
      await update(key, { status: 'ACTIVE' });
      assert.equal((await grove.call('/api/arthr/apiKeys', { token })).status, 200);
      await grove.token(key.code);
    }
  });

  it('271: an expired API key issues no token, its tokens end with it, and no token is valid longer than its key', async () => {
    const key = await create({ type: 'SESSION', expiringDtm: toDtm(grove.clock.now() + 10 * MINUTE) });
    const { body } = await issue({ 'X-Api-Key': key.code });
    assert.ok(body.ttl <= 601 && body.ttl >= 599, String(body.ttl));
    grove.clock.advance(10 * MINUTE - 1);
    assert.equal((await grove.call('/api/arthr/apiKeys', { token: body.token })).status, 200);
    grove.clock.advance(1);
    assert.deepEqual(await refusalOf(key.code), [401, 271]);
    assert.equal((await grove.call('/api/arthr/apiKeys', { token: body.token })).status, 401);
  });

  it('an API key that was blocked on one node is refused on another within five seconds', async () => {
    const elsewhere = await openTestApp(place, { clock: grove.clock });
    try {
      const key = await create();
      const { body } = await elsewhere.call(PATH, { method: 'POST', token: null, headers: { 'X-Api-Key': key.code } });
      assert.equal(typeof body.token, 'string');
      const ask = () => elsewhere.call('/api/arthr/apiKeys', { token: body.token });
      await update(key, { status: 'BLOCKED' });
      grove.clock.advance(5 * SECOND);
      // The other node has another port in its base address, so the request uses a token of that node.
      assert.equal((await ask()).body.code, 271);
      const again = await elsewhere.call(PATH, { method: 'POST', token: null, headers: { 'X-Api-Key': key.code } });
      assert.equal(again.body.code, 271);
    } finally {
      await elsewhere.stop();
    }
  });

  it('a token signed on one node after a rotation is accepted on another node that has not loaded the new key yet', async () => {
    const elsewhere = await openTestApp(place, {
      clock: grove.clock,
      environment: { GROVE_PUBLIC_PORT: '80', PORT: '0' },
    });
    const here = await openTestApp(place, { clock: grove.clock, environment: { GROVE_PUBLIC_PORT: '80', PORT: '0' } });
    try {
      const old = await here.token();
      const before = here.app.signing.current().kid;
      const kid = await here.app.signing.rotate();
      // Every server publishes the new key before any of them signs with it.
      assert.equal(here.app.signing.current().kid, before);
      grove.clock.advance(31 * SECOND);
      const published = (await elsewhere.call('/.well-known/jwks.json', { token: null })).body.keys;
      assert.equal(published[0].kid, kid);
      grove.clock.advance(2 * MINUTE);
      await here.app.signing.reload();
      assert.equal(here.app.signing.current().kid, kid);
      const fresh = await here.token();
      for (const token of [old, fresh]) {
        for (const node of [here, elsewhere])
          assert.equal((await node.call('/api/arthr/apiKeys', { token })).status, 200);
      }
      // A node that was not told of the new key loads it by itself, and signs with it.
      const idle = grove.app.signing;
      grove.clock.advance(31 * SECOND);
      idle.current();
      while (idle.current().kid !== here.app.signing.current().kid) await new Promise((turn) => setImmediate(turn));
    } finally {
      await here.stop();
      await elsewhere.stop();
    }
  });

  it('lastIssuedAtDtm is visible at once, written in batches, saved by a clean stop, and never moves back', async () => {
    const key = await create();
    assert.equal(key.lastIssuedAtDtm, undefined);
    const issuedAt = grove.clock.now();
    await grove.token(key.code);
    const view = await grove.client.apiKeys.get({ apiKeyId: key.id as string });
    assert.equal(view.lastIssuedAtDtm, toDtm(issuedAt));
    const second = await openTestApp(place, { clock: grove.clock });
    await second.token(key.code);
    await second.stop();
    const stored = await grove.app.db
      .of('acme' as never)
      .get<{ last_issued_at: number }>(
        { text: 'SELECT last_issued_at FROM api_keys WHERE tenant_id = $1 AND id = $2' },
        ['acme', key.id as string],
      );
    assert.equal(stored?.last_issued_at, issuedAt);
  });
});

describe('failed exchanges', () => {
  const places = testPlaces();
  it('100007: ten failed exchanges a minute from one address lead to 429 with Retry-After; a correct API key is always accepted', async () => {
    const grove = await openTestApp(await places.create(), { environment: { GROVE_RATE_LIMIT: '1000' } });
    try {
      const attempt = (code: string) =>
        grove.call(PATH, { method: 'POST', token: null, headers: { 'X-Api-Key': code } });
      const wrong = `${grove.apiKey.slice(0, -3)}AAA`;
      for (let at = 0; at < 10; at++) assert.equal((await attempt(wrong)).status, 401);
      const limited = await attempt(wrong);
      assert.deepEqual([limited.status, limited.body.code], [429, 100007]);
      assert.ok(Number(limited.headers.get('retry-after')) > 0);
      assert.equal((await attempt(grove.apiKey)).status, 200);
      grove.clock.advance(HOUR);
      assert.equal((await attempt(wrong)).status, 401);
    } finally {
      await grove.stop();
    }
  });
});
