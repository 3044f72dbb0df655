import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Answer, onBothEngines, untilServed } from '../../../test/harness.ts';
import { openTestIdentity, type TestIdentity } from '../../../test/identity.ts';
import { ownRequest, uafAuthenticator } from '../../../test/uaf/authenticator.ts';
import {
  APP_ID,
  openRelyingParty,
  ownChallenge,
  type RelyingParty,
  singleShot,
} from '../../../test/uaf/relying-party.ts';

const ROUNDS = Number(process.env.GROVE_RACE_ROUNDS ?? 1);
const AT_ONCE = 100;

/** `GROVE_RACE_ROUNDS=50` runs more rounds. */
onBothEngines('appkeys under races', (_engine, places) => {
  let grove: TestIdentity;
  let party: RelyingParty;
  before(async () => {
    grove = await openTestIdentity(await places.create());
    party = await openRelyingParty(grove, 'Bank');
  });
  after(() => grove.stop());

  const times = (count: number, work: () => Promise<Answer>) =>
    Promise.all(Array.from({ length: count }, () => untilServed(work)));
  const outcomes = (answers: Answer[]) => {
    const counts: Record<string, number> = {};
    for (const { status, body } of answers) {
      const outcome = status === 200 ? 'ok' : `${body.code}`;
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
    return counts;
  };

  it('an appkey session that is completed a hundred times at once succeeds once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const holder = await party.holder();
      const { sessionId, uafProtocolMessage } = await party.start(holder.user, 'authentications');
      const response = holder.authenticator.authenticate(uafProtocolMessage);
      const answers = await times(AT_ONCE, () => party.complete(sessionId, { response }));
      assert.deepEqual(outcomes(answers), { ok: 1, 100035: AT_ONCE - 1 });
    }
  });

  it('a challenge of the caller that is used a hundred times at once succeeds once, for both kinds of challenge', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [challenge, code] of [
        [ownChallenge(), 100035],
        [singleShot(grove.clock.now()), 1090],
      ] as const) {
        const holder = await party.holder();
        // The authenticator has no counter, so that only the challenge can cause the refusal.
        const response = holder.authenticator.authenticate(ownRequest('Auth', challenge, APP_ID), { counter: 0 });
        const body = { sessionData: party.sessionData(challenge), response };
        const answers = await times(AT_ONCE, () => grove.send('POST', `${party.store}/appkeys/authentications`, body));
        assert.deepEqual(outcomes(answers), { ok: 1, [code]: AT_ONCE - 1 });
      }
    }
  });

  it('a counter of an appkey that is used in two sessions at once succeeds once', async () => {
    for (let round = 0; round < 5 * ROUNDS; round++) {
      const holder = await party.holder();
      const sessions = [
        await party.start(holder.user, 'authentications'),
        await party.start(holder.user, 'authentications'),
      ];
      const answers = await Promise.all(
        sessions.map(({ sessionId, uafProtocolMessage }) =>
          party.complete(sessionId, {
            response: holder.authenticator.authenticate(uafProtocolMessage, { counter: 7 }),
          }),
        ),
      );
      assert.deepEqual(outcomes(answers), { ok: 1, 1061: 1 });
    }
  });

  it('a key id that ten users register at once becomes the appkey of one', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const authenticator = uafAuthenticator();
      const users = await Promise.all(Array.from({ length: 10 }, () => party.user()));
      const answers = await Promise.all(users.map((user) => party.register(user, authenticator)));
      assert.deepEqual(outcomes(answers), { ok: 1, 100110: 9 });
    }
  });

  it('wrong appkey responses that arrive a hundred at once are not verified beyond the limit', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const holder = await party.holder();
      const answers = await times(AT_ONCE, () =>
        party.authenticateOwn(holder, ownChallenge(), {}, { signature: () => Buffer.alloc(64) }),
      );
      assert.deepEqual(outcomes(answers), { 100112: 5, 2101: AT_ONCE - 5 });
    }
  });

  it('several devices made preferred at once leave one preferred device', async () => {
    const { user } = await party.holder({}, { deviceId: 'one' });
    await party.register(user, uafAuthenticator(), { deviceId: 'two' });
    const prefer = (device: string) => grove.send('POST', party.ofUser(user, `/preferredDevice/${device}`));
    const answers = await Promise.all(['one', 'two', 'one', 'two', 'one', 'two'].map(prefer));
    assert.deepEqual(outcomes(answers), { ok: 6 });
    const { body } = await grove.send('GET', `${party.store}/users/${user.id}`);
    assert.equal(body.summaryInfo.devices.filter((device: { preferred: boolean }) => device.preferred).length, 1);
  });
});
