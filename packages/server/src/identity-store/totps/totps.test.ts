import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type TOTP, URI } from 'otpauth';
import { type Answer, onBothEngines } from '../../../test/harness.ts';
import { addressesOf, openTestIdentity, type TestIdentity } from '../../../test/identity.ts';
import { sql } from '../../db/db.ts';
import { DAY, MINUTE, SECOND } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';

const SEALED = sql('SELECT sealed FROM user_totps WHERE tenant_id = $1 AND user_id = $2');
const DELIVERIES = sql('SELECT payload FROM webhook_deliveries WHERE tenant_id = $1 AND webhook_id = $2');
const WITH_COLON = sql(
  `UPDATE relying_parties SET config = replace(config, 'Acme EU', 'Acme: EU') WHERE tenant_id = $1`,
);
const ROUNDS = Number(process.env.GROVE_RACE_ROUNDS ?? 1);

type TestUser = { id: string; extId: string };

onBothEngines('TOTP', (_engine, places) => {
  let grove: TestIdentity;
  let store: string;
  let users = 0;
  before(async () => {
    grove = await openTestIdentity(await places.create());
    store = await grove.store('Codes');
    await grove.send('POST', `${store}/totpPolicy`, { name: 'app', issuer: 'Example' });
  });
  after(() => grove.stop());

  const post = (path: string, body: unknown = {}) => grove.send('POST', path, body);
  const newUser = (): Promise<TestUser> => grove.user(store, { extId: `user ${users++}` });
  const codeOf = (app: TOTP) => app.generate({ timestamp: grove.clock.now() });
  const otherThan = (code: string) => String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0');
  const start = async (user: TestUser, policy = 'app') => {
    const started = await post(`${store}/users/${user.id}/totps/registrations/${policy}`);
    assert.equal(started.status, 201, started.text);
    return { ...started.body, app: URI.parse(started.body.uri) as TOTP };
  };
  /** Registers TOTP, and moves the clock to a step whose code was not used. */
  const register = async (user: TestUser, policy = 'app'): Promise<TOTP> => {
    const { app } = await start(user, policy);
    const path = `${store}/users/${user.id}/totps/registrations/${policy}/complete`;
    const completed = await post(path, { code: codeOf(app) });
    assert.equal(completed.status, 200, completed.text);
    grove.clock.advance(app.period * 3 * SECOND);
    return app;
  };
  const authenticate = (user: TestUser, code: string, at = 0, policy = 'app'): Promise<Answer> =>
    post(addressesOf(store, user, `/totps/authentications/${policy}`)[at] as string, { code });

  it('TOTP is registered and authenticates through each address of the user, and is shown with the user', async () => {
    for (const at of [0, 1]) {
      const user = await newUser();
      const { app, secret, qrCode, uri } = await start(user);
      assert.equal(Buffer.from(app.secret.buffer).length, 20);
      assert.deepEqual([app.secret.base32, app.issuer, app.label], [secret, 'Example', user.extId]);
      assert.match(qrCode, /^data:image\/svg\+xml;base64,/);
      const pending = await grove.send('GET', `${store}/users/${user.id}`);
      assert.equal(pending.body.summaryInfo.totps[0].status, 'PENDING');
      const complete = addressesOf(store, user, '/totps/registrations/app/complete')[at] as string;
      const completed = await post(complete, { code: codeOf(app) });
      assert.equal(completed.status, 200, completed.text);
      const { policyName, status } = completed.body.summaryInfo.totps[0];
      assert.deepEqual([policyName, status, completed.body.summaryInfo.totps.length], ['app', 'ACTIVE', 1]);
      grove.clock.advance(30 * SECOND);
      const code = codeOf(app);
      const spaced = `${code.slice(0, 3)} ${code.slice(3)}`;
      const answer = await authenticate(user, spaced, at);
      assert.equal(answer.status, 200, answer.text);
      assert.ok(answer.body.user.lastSuccessfulAuthenticationDtm);
      const [listed] = addressesOf(store, user, '/authentications?modality=TOTP');
      const { content } = (await grove.send('GET', listed as string)).body;
      assert.deepEqual([content.length, content[0].id, content[0].succeeded], [1, answer.body.authenticationId, true]);
      const row = await grove.app.db.of(asTenantId('acme')).get<{ sealed: Uint8Array }>(SEALED, ['acme', user.id]);
      assert.ok(row && !Buffer.from(row.sealed).includes(Buffer.from(app.secret.buffer)));
      for (const hidden of [secret, uri, code]) assert.ok(!grove.logged().includes(hidden));
    }
  });

  it('TOTP accepts each step once: 100052 for its code again, for an earlier one and for the code of the registration', async () => {
    const user = await newUser();
    const { app } = await start(user);
    const first = codeOf(app);
    await post(`${store}/users/${user.id}/totps/registrations/app/complete`, { code: first });
    assert.equal((await authenticate(user, first)).body.code, 100052);
    grove.clock.advance(30 * SECOND);
    const second = codeOf(app);
    grove.clock.advance(30 * SECOND);
    assert.equal((await authenticate(user, codeOf(app))).status, 200);
    const again = await authenticate(user, codeOf(app));
    assert.deepEqual([again.status, again.body.code, again.body.user.id], [400, 100052, user.id]);
    assert.equal((await authenticate(user, second)).body.code, 100052);
    assert.deepEqual(again.body.user.lockInfo.modalities, {});
  });

  it('TOTP accepts no code twice when the clock is set back', async () => {
    const user = await newUser();
    const app = await register(user);
    assert.equal((await authenticate(user, codeOf(app))).status, 200);
    grove.clock.advance(-90 * SECOND);
    assert.equal((await authenticate(user, codeOf(app))).body.code, 100052);
    grove.clock.advance(10 * MINUTE);
  });

  it('TOTP refuses a wrong code with 100051 and counts a failure, but not for text that cannot be a code', async () => {
    const user = await newUser();
    const app = await register(user);
    const wrong = await authenticate(user, otherThan(codeOf(app)));
    assert.deepEqual([wrong.status, wrong.body.code], [400, 100051]);
    assert.deepEqual(wrong.body.user.lockInfo.modalities.TOTP, { failedCount: 1, lockCount: 0, locked: false });
    for (const code of ['12345', 'abcdef', '1234567']) {
      assert.equal((await authenticate(user, code)).body.user.lockInfo.failedCount, 1, code);
    }
    const answer = await authenticate(user, codeOf(app));
    assert.deepEqual(answer.body.user.lockInfo, { failedCount: 0, lockCount: 0, modalities: {} });
    const { content } = (await grove.send('GET', `${store}/users/${user.id}/authentications`)).body;
    assert.equal(content.filter(({ code }: { code?: number }) => code === 100051).length, 4);
  });

  it('TOTP is locked after too many wrong codes: 2101, also for the right code, until the lock ends', async () => {
    const user = await newUser();
    const app = await register(user);
    for (let time = 0; time < 5; time++) await authenticate(user, otherThan(codeOf(app)));
    for (const at of [0, 1]) {
      const locked = await authenticate(user, codeOf(app), at);
      assert.deepEqual([locked.status, locked.body.code], [400, 2101]);
      const { TOTP: state } = locked.body.user.lockInfo.modalities;
      assert.deepEqual([state.locked, state.failedCount, state.lockCount], [true, 5, 1]);
      assert.equal(locked.body.user.status, 'ACTIVE');
    }
    grove.clock.advance(5 * MINUTE);
    assert.equal((await authenticate(user, codeOf(app))).status, 200);
    const types = (await grove.events('Codes')).filter(({ userId }) => userId === user.id).map(({ type }) => type);
    assert.equal(types.filter((type) => type === 'identity.modalityLocked').length, 1);
    assert.equal(types.filter((type) => type === 'identity.authenticationFailed').length, 7);
  });

  it('TOTP that is locked is unlocked by an operator, alone or with the user, and by a new registration', async () => {
    for (const unlock of [
      (user: TestUser) => post(`${store}/users/${user.id}/unlock`, { modality: 'TOTP' }),
      (user: TestUser) => post(addressesOf(store, user, '/unlock')[1]),
      (user: TestUser) => register(user),
    ]) {
      const user = await newUser();
      const before = await register(user);
      for (let time = 0; time < 5; time++) await authenticate(user, otherThan(codeOf(before)));
      await unlock(user);
      const { body } = await grove.send('GET', `${store}/users/${user.id}`);
      assert.deepEqual(body.lockInfo.modalities, {});
    }
  });

  it('TOTP failures lock the whole user if the store says so: 2100', async () => {
    const strict = await grove.store('Strict', { lockConfiguration: { scope: 'USER', maxFailedAttempts: 1 } });
    await post(`${strict}/totpPolicy`, { name: 'app' });
    const user = await grove.user(strict);
    const path = `${strict}/users/${user.id}/totps`;
    const app = URI.parse((await post(`${path}/registrations/app`)).body.uri) as TOTP;
    await post(`${path}/registrations/app/complete`, { code: codeOf(app) });
    grove.clock.advance(MINUTE);
    const wrong = await post(`${path}/authentications/app`, { code: otherThan(codeOf(app)) });
    assert.deepEqual([wrong.body.code, wrong.body.user.status], [100051, 'TEMP_LOCKED']);
    assert.equal((await post(`${path}/authentications/app`, { code: codeOf(app) })).body.code, 2100);
    grove.clock.advance(5 * MINUTE);
    assert.equal((await post(`${path}/authentications/app`, { code: codeOf(app) })).status, 200);
  });

  it('TOTP failures that locked the user while the clock was ahead no longer lock it once the clock is corrected', async () => {
    const strict = await grove.store('Ahead', { lockConfiguration: { scope: 'USER', maxFailedAttempts: 1 } });
    await post(`${strict}/totpPolicy`, { name: 'app' });
    const user = await grove.user(strict);
    const path = `${strict}/users/${user.id}/totps`;
    const app = URI.parse((await post(`${path}/registrations/app`)).body.uri) as TOTP;
    await post(`${path}/registrations/app/complete`, { code: codeOf(app) });
    const rightTime = grove.clock.now() + MINUTE;
    grove.clock.advance(365 * DAY);
    await grove.renew();
    try {
      const wrong = await post(`${path}/authentications/app`, { code: otherThan(codeOf(app)) });
      assert.deepEqual([wrong.body.code, wrong.body.user.status], [100051, 'TEMP_LOCKED']);
    } finally {
      grove.clock.set(rightTime);
      await grove.renew();
    }
    assert.equal((await post(`${path}/authentications/app`, { code: codeOf(app) })).status, 200);
  });

  it('TOTP checks the user at completion, too: 502 if not active, 2100 if locked, at each address', async () => {
    for (const [status, code] of [
      ['DISABLED', 502],
      ['PENDING_ACTIVE', 502],
      ['LOCKED', 2100],
    ] as const) {
      const user = await newUser();
      const app = await register(user);
      await start(user);
      await post(`${store}/users/${user.id}`, { status });
      const body = { code: codeOf(app) };
      const tails = ['/totps/authentications/app', '/totps/registrations/app/complete'];
      for (const path of [
        ...tails.flatMap((tail) => addressesOf(store, user, tail)),
        `${store}/users/${user.id}/totps/registrations/app`,
      ]) {
        const answer = await post(path, path.endsWith('/totps/registrations/app') ? {} : body);
        assert.deepEqual([answer.status, answer.body.code, answer.body.user?.status], [400, code, status], path);
      }
      await post(`${store}/users/${user.id}`, { status: 'ACTIVE' });
      assert.equal((await authenticate(user, codeOf(app))).status, 200);
    }
  });

  it('TOTP is refused with 100053 before its registration, ten minutes after its start, and after deregistration', async () => {
    const user = await newUser();
    assert.equal((await authenticate(user, '123456')).body.code, 100053);
    const complete = `${store}/users/${user.id}/totps/registrations/app/complete`;
    assert.equal((await post(complete, { code: '123456' })).body.code, 100053);
    const { app } = await start(user);
    grove.clock.advance(10 * MINUTE);
    assert.equal((await post(complete, { code: codeOf(app) })).body.code, 100053);
    const registered = await register(user);
    const removal = await post(`${store}/users/${user.id}/totps/deregistrations/app`);
    assert.deepEqual([removal.status, removal.body.summaryInfo.totps], [200, []]);
    assert.equal((await authenticate(user, codeOf(registered))).body.code, 100053);
    const again = await post(`${store}/users/${user.id}/totps/deregistrations/app`);
    assert.deepEqual([again.status, again.body.code], [400, 100053]);
  });

  it('TOTP is deleted together with its user, and a later user of the same name does not have it', async () => {
    const user = await newUser();
    const app = await register(user);
    await grove.send('DELETE', addressesOf(store, user)[1]);
    for (const at of [0, 1]) assert.equal((await authenticate(user, codeOf(app), at)).body.code, 100028);
    const again = await grove.user(store, { extId: user.extId });
    assert.equal((await authenticate(again, codeOf(app), 1)).body.code, 100053);
    assert.equal((await grove.send('GET', `${store}/users/${again.id}/authentications`)).body.totalElements, 1);
  });

  it('TOTP ends a registration after five wrong first codes, so that nobody can guess one', async () => {
    const user = await newUser();
    const { app } = await start(user);
    const complete = `${store}/users/${user.id}/totps/registrations/app/complete`;
    const code = otherThan(codeOf(app));
    const tries = await Promise.all(Array.from({ length: 12 }, () => post(complete, { code })));
    assert.deepEqual(tries.map(({ body }) => body.code).sort(), [...Array(5).fill(100051), ...Array(7).fill(100053)]);
    assert.equal((await post(complete, { code: codeOf(app) })).body.code, 100053);
  });

  it('TOTP follows its policy, which is changed field by field; existing registrations stay as they are', async () => {
    const policy = { name: 'long', algorithm: 'SHA512', digits: 8, period: 60, window: 0 };
    const creation = await post(`${store}/totpPolicy`, policy);
    const { lastUpdatedDtm } = creation.body;
    assert.deepEqual([creation.status, creation.body], [201, { ...policy, issuer: 'Codes', lastUpdatedDtm }]);
    const user = await newUser();
    const app = await register(user, 'long');
    assert.deepEqual([app.algorithm, app.digits, app.period], ['SHA512', 8, 60]);
    const changed = await post(`${store}/totpPolicy/long`, { digits: 6, period: 30, issuer: 'New' });
    assert.deepEqual(changed.body, {
      ...policy,
      digits: 6,
      period: 30,
      issuer: 'New',
      lastUpdatedDtm: changed.body.lastUpdatedDtm,
    });
    assert.equal((await authenticate(user, codeOf(app), 0, 'long')).status, 200);
    const earlier = codeOf(app);
    grove.clock.advance(60 * SECOND);
    assert.equal((await authenticate(user, earlier, 0, 'long')).body.code, 100051);
    const twice = await post(`${store}/totpPolicy`, policy);
    assert.deepEqual([twice.status, twice.body.code], [409, 100014]);
    for (const bad of [
      { period: 0 },
      { digits: 5 },
      { window: -1 },
      { algorithm: 'MD5' },
      { name: 'a/b' },
      { issuer: 'A: B' },
    ]) {
      assert.equal((await post(`${store}/totpPolicy`, { name: 'bad', ...bad })).body.code, 100001);
    }
  });

  it('TOTP refuses an issuer with a colon, which would end it in the label of the app', async () => {
    const changed = await post(`${store}/totpPolicy/long`, { issuer: 'Acme: EU' });
    assert.deepEqual([changed.body.code, changed.body.errors?.[0]?.pointer], [100001, '/issuer']);
    const path = await grove.store('Acme EU');
    const creation = await post(`${path}/totpPolicy`, { name: 'plain' });
    assert.equal(creation.body.issuer, 'Acme EU');
    // An earlier release may have stored such a policy.
    await grove.app.db.of(asTenantId('acme')).write((tx) => tx.run(WITH_COLON, ['acme']));
    const user = await grove.user(path, { extId: 'ann' });
    const registration = await post(`${path}/users/${user.id}/totps/registrations/plain`);
    const read = URI.parse(registration.body.uri);
    assert.deepEqual([read.issuer, read.label], ['Acme EU', 'ann']);
  });

  it('TOTP answers 100030 for an unknown policy, and 100028 for an unknown user', async () => {
    const user = await newUser();
    const code = { code: '123456' };
    for (const [path, body] of [
      [`${store}/totpPolicy/none`, {}],
      [`${store}/users/${user.id}/totps/registrations/none`, {}],
      ...addressesOf(store, user, '/totps/registrations/none/complete').map((path) => [path, code] as const),
      ...addressesOf(store, user, '/totps/authentications/none').map((path) => [path, code] as const),
      [`${store}/users/${user.id}/totps/deregistrations/none`, {}],
    ] as const) {
      const answer = await post(path, body);
      assert.deepEqual([answer.status, answer.body.code], [404, 100030], path);
    }
    for (const path of addressesOf(store, { id: 'x', extId: 'nobody' }, '/totps/authentications/app')) {
      assert.equal((await post(path, { code: '123456' })).body.code, 100028);
    }
    const ofOther = await grove.send('POST', `${store}/totpPolicy`, { name: 'x' }, grove.ofOther);
    assert.equal(ofOther.body.code, 100027);
    const store2 = await grove.store('Second codes');
    const elsewhere = await post(`${store2}/users/${user.id}/totps/authentications/app`, { code: '123456' });
    assert.equal(elsewhere.body.code, 100028);
  });

  it('TOTP uses the state in its own transaction, whatever another request changed just before', async () => {
    const before = {
      100053: (user: TestUser) => post(`${store}/users/${user.id}/totps/deregistrations/app`),
      2100: (user: TestUser) => post(`${store}/users/${user.id}/lock`, {}),
      502: (user: TestUser) => post(`${store}/users/${user.id}`, { status: 'DISABLED' }),
      100052: async (user: TestUser, code: string) => authenticate(user, code),
    };
    for (const [refusal, change] of Object.entries(before)) {
      const user = await newUser();
      const { app } = await start(user);
      await post(`${store}/users/${user.id}/totps/registrations/app/complete`, { code: codeOf(app) });
      const code = app.generate({ timestamp: grove.clock.now() + app.period * SECOND });
      const [changed, answer] = await Promise.all([change(user, code), authenticate(user, code)]);
      const outcomes = [changed.status, answer.body.code];
      // Either request may come first.
      const expected = answer.status === 200 ? [refusal === '100052' ? 400 : 200, undefined] : [200, Number(refusal)];
      assert.deepEqual(outcomes, expected);
    }
  });

  it('TOTP notifies a webhook of a success exactly once, and of no other event', async () => {
    const webhook = { name: 'logins', uri: 'https://hooks.example.com/', events: ['identity.authenticationSucceeded'] };
    const creation = await grove.call('/api/notification-service/webhooks', {
      method: 'POST',
      body: JSON.stringify(webhook),
      token: await grove.token(),
    });
    assert.equal(creation.status, 201, creation.text);
    const user = await newUser();
    const app = await register(user);
    const code = codeOf(app);
    assert.equal((await authenticate(user, code)).status, 200);
    assert.equal((await authenticate(user, code)).body.code, 100052);
    const rows = await grove.app.db
      .of(asTenantId('acme'))
      .all<{ payload: string }>(DELIVERIES, ['acme', creation.body.id]);
    assert.deepEqual(
      rows.map(({ payload }) => JSON.parse(payload).data.userId),
      [user.id],
    );
  });

  it('a correct TOTP code is refused with the reason once the user, the secret or the store has changed', async () => {
    type Change = (user: TestUser, app: TOTP) => Promise<Answer | TOTP | undefined>;
    const changes: [what: string, change: Change, refusal: number | undefined][] = [
      ['nothing', async () => undefined, undefined],
      ['the user is locked', ({ id }) => post(`${store}/users/${id}/lock`), 2100],
      ['the user is disabled', ({ id }) => post(`${store}/users/${id}`, { status: 'DISABLED' }), 502],
      [
        'the user is called differently',
        ({ id }) => post(`${store}/users/${id}`, { extId: `renamed ${id}` }),
        undefined,
      ],
      ['the step is spent', (user, app) => authenticate(user, codeOf(app)), 100052],
      ['the secret is another', (user) => register(user), 100051],
      ['the secret is gone', ({ id }) => post(`${store}/users/${id}/totps/deregistrations/app`), 100053],
      ['the user is gone', ({ id }) => grove.send('DELETE', `${store}/users/${id}`), 100028],
      ['the store is not active', () => post(store, { status: 'INACTIVE' }), 100082],
    ];
    for (const [what, change, refusal] of changes) {
      await grove.renew();
      const user = await newUser();
      const app = await register(user);
      const code = codeOf(app);
      const changed = await change(user, app);
      if (changed && 'status' in changed) assert.ok(changed.status < 300, `${what}: ${changed.text}`);
      const answer = await authenticate(user, code);
      assert.equal(answer.body.code, refusal, `${what}: ${answer.text}`);
    }
    assert.equal((await post(store, { status: 'ACTIVE' })).status, 200);
  });

  it('a TOTP code that is sent a hundred times at once succeeds once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await grove.renew();
      const user = await newUser();
      const code = codeOf(await register(user));
      const tries = await Promise.all(Array.from({ length: 100 }, (_, index) => authenticate(user, code, index % 2)));
      assert.equal(tries.filter(({ status }) => status === 200).length, 1);
      assert.deepEqual(new Set(tries.map(({ body }) => body.code)), new Set([undefined, 100052]));
    }
  });

  it('TOTP verifies no more wrong codes than the limit when two hundred arrive at once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await grove.renew();
      const user = await newUser();
      const code = otherThan(codeOf(await register(user)));
      const tries = await Promise.all(Array.from({ length: 200 }, (_, index) => authenticate(user, code, index % 2)));
      assert.equal(tries.filter(({ body }) => body.code === 100051).length, 5);
      // The whole answer is shown if it differs.
      const others = tries.filter(({ body }) => body.code !== 100051 && body.code !== 2101);
      assert.deepEqual(others, []);
    }
  });
});
