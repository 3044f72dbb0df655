import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { authenticator } from '../../../test/authenticator/authenticator.ts';
import { type RelyingParty, relyingParty } from '../../../test/authenticator/relying-party.ts';
import { type Answer, onBothEngines, openTestApp, type TestApp, untilServed } from '../../../test/harness.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { advancePasskey } from './passkeys.repository.ts';

/** `GROVE_RACE_ROUNDS=100` runs more rounds. */
const ROUNDS = Number(process.env.GROVE_RACE_ROUNDS ?? 3);
const AT_ONCE = 100;
/** The time in which a request that must wait could wrongly answer. */
const PATIENCE_MS = 300;

onBothEngines('passkeys under races', (_engine, places) => {
  let grove: TestApp;
  let rp: RelyingParty;
  before(async () => {
    grove = await openTestApp(await places.create());
    rp = await relyingParty(grove, { config: { registrationPolicies: { few: { maxPasskeysPerUser: 2 } } } });
  });
  after(() => grove.stop());

  const codes = (answers: readonly Answer[]) => {
    const counts = new Map<number, number>();
    for (const { status, body } of answers) {
      const code = status === 200 ? 200 : body.code;
      counts.set(code, (counts.get(code) ?? 0) + 1);
    }
    return Object.fromEntries(counts);
  };

  it('an authentication with a passkey that is completed 100 times at once succeeds once, with an authenticator without a counter', async () => {
    const { device, userId } = await rp.register(undefined, { counts: false });
    for (let round = 0; round < ROUNDS; round++) {
      const { body } = await rp.startAuthentication(userId);
      const credential = device.get(body.publicKey);
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, () => untilServed(() => rp.authenticate(body.sessionId, { credential }))),
      );
      assert.deepEqual(codes(answers), { 200: 1, 100035: AT_ONCE - 1 });
    }
    const { body } = await rp.call('GET', `/users/${userId}/authentications`);
    assert.equal(body.totalElements, ROUNDS);
  });

  it('a registration that is completed 20 times at once creates one passkey, and one user if it also creates the user', async () => {
    const before = (await rp.call('GET', '/users')).body.totalElements;
    for (let round = 0; round < ROUNDS; round++) {
      const { body } = await rp.startRegistration();
      const credential = authenticator({ origin: rp.origin }).create(body.publicKey);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => rp.completeRegistration(body.sessionId, { credential })),
      );
      assert.deepEqual(codes(answers), { 200: 1, 100035: 19 });
    }
    assert.equal((await rp.call('GET', '/users')).body.totalElements, before + ROUNDS);
  });

  it('two authentications at once with one counter: only one passes, whether they name the user or not', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { device, userId } = await rp.register();
      const clone = device.clone();
      const owners = round % 2 === 0 ? [userId, userId] : [undefined, userId];
      const starts = await Promise.all(owners.map((owner) => rp.startAuthentication(owner)));
      const answers = await Promise.all(
        starts.map(({ body }, at) =>
          rp.authenticate(body.sessionId, { credential: (at === 0 ? device : clone).get(body.publicKey) }),
        ),
      );
      assert.deepEqual(codes(answers), { 200: 1, 372: 1 });
    }
  });

  it('the counter of a passkey in the database only grows, whatever a request compared before', async () => {
    const advance = (id: string, signCount: number, tenant = grove.tenantId) =>
      grove.app.db
        .of(asTenantId(tenant))
        .write((tx) => advancePasskey(tx, { id, signCount, backedUp: false, now: grove.clock.now() }));
    const { passkeyId } = await rp.register();
    const outcomes: boolean[] = [];
    for (const signCount of [7, 7, 6, 0, 8]) outcomes.push(await advance(passkeyId, signCount));
    assert.deepEqual(outcomes, [true, false, false, false, true]);
    const uncounted = await rp.register(undefined, { counts: false });
    assert.deepEqual([await advance(uncounted.passkeyId, 0), await advance(uncounted.passkeyId, 1)], [true, true]);
    assert.equal(await advance(uncounted.passkeyId, 0), false, 'one that has begun to count goes on counting');
    await rp.post(`/users/${uncounted.userId}/passkeys/${uncounted.passkeyId}`, { status: 'DISABLED' });
    assert.equal(await advance(uncounted.passkeyId, 2), false, 'a disabled passkey is not used');
    assert.equal(await advance(passkeyId, 9, 'nobody'), false, 'nor is that of another tenant');
  });

  it('a credential id registered for ten users at once is the passkey of one, and no incomplete user remains', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const device = authenticator({ origin: rp.origin });
      const before = (await rp.call('GET', '/users')).body.totalElements;
      const starts = await Promise.all(Array.from({ length: 10 }, () => rp.startRegistration()));
      const answers = await Promise.all(
        starts.map(({ body }) =>
          rp.completeRegistration(body.sessionId, { credential: device.clone().create(body.publicKey) }),
        ),
      );
      assert.deepEqual(codes(answers), { 200: 1, 100094: 9 });
      assert.equal((await rp.call('GET', '/users')).body.totalElements, before + 1);
    }
  });

  it('ten registrations of one user at once create at most as many passkeys as allowed', async () => {
    const { id } = await rp.user();
    const starts = await Promise.all(Array.from({ length: 10 }, () => rp.startRegistration(id, {}, 'few')));
    const answers = await Promise.all(
      starts.map(({ body }) =>
        rp.completeRegistration(body.sessionId, {
          credential: authenticator({ origin: rp.origin }).create(body.publicKey),
        }),
      ),
    );
    assert.deepEqual(codes(answers), { 200: 2, 100038: 8 });
  });

  it('an authentication with a passkey that is disabled meanwhile either succeeded before or is refused with 348', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { device, userId, passkeyId } = await rp.register();
      const { body } = await rp.startAuthentication(userId);
      const [login] = await Promise.all([
        rp.authenticate(body.sessionId, { credential: device.get(body.publicKey) }),
        rp.post(`/users/${userId}/passkeys/${passkeyId}`, { status: 'DISABLED' }),
      ]);
      assert.ok(login.status === 200 || login.body.code === 348, login.text);
      const { body: late } = await rp.startAuthentication();
      assert.equal((await rp.authenticate(late.sessionId, { credential: device.get(late.publicKey) })).body.code, 348);
    }
  });

  it('100035: a ceremony session is refused if its user is deleted at the same time, and neither request must be repeated', async () => {
    const { device, userId } = await rp.register();
    const { body } = await rp.startAuthentication(userId);
    const { answer } = await grove.app.db.of(asTenantId(grove.tenantId)).write(async (tx) => {
      // A deletion that has not ended yet.
      const of = [grove.tenantId, userId];
      await tx.run({ text: 'UPDATE identity_users SET status = status WHERE tenant_id = $1 AND id = $2' }, of);
      const late = rp.authenticate(body.sessionId, { credential: device.get(body.publicKey) });
      await Promise.race([late, wait(PATIENCE_MS)]);
      await tx.run({ text: 'DELETE FROM identity_users WHERE tenant_id = $1 AND id = $2' }, of);
      return { answer: late };
    });
    assert.equal((await answer).body.code, 100035);
  });
});
