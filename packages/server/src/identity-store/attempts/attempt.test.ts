import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines } from '../../../test/harness.ts';
import { openTestIdentity, type TestIdentity } from '../../../test/identity.ts';
import { HOUR, MINUTE } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { openCeremony, takeCeremony } from '../ceremonies/ceremonies.ts';
import type { PublishedEvent } from '../events/identity-events.ts';
import { type IdentityCore, openIdentityCore } from '../identity-core.ts';
import { getStore } from '../stores/find-store.ts';
import type { UserRow } from '../users/find-user.ts';
import type { User } from '../users/user-view.ts';
import type { AttemptInput, Caller } from './attempt.ts';
import { ensure, Refusal } from './refusal.ts';

const SECRET = 'open sesame';

onBothEngines('an attempt', (_engine, places) => {
  let grove: TestIdentity;
  let core: IdentityCore;
  const events: PublishedEvent[] = [];
  before(async () => {
    grove = await openTestIdentity(await places.create());
    await grove.store('Doors');
    core = openIdentityCore({
      vault: grove.app.vault,
      async notify(_tx, event) {
        events.push(event);
      },
    });
  });
  after(() => grove.stop());

  const db = () => grove.app.db.of(asTenantId('acme'));
  const caller = (): Caller => ({ db: db(), now: grove.clock.now(), principal: { environment: 'live' } });
  const newUser = (input = {}): Promise<User> => grove.user('/stores/Doors', input);
  const userView = async (id: string): Promise<User> => (await grove.send('GET', `/stores/Doors/users/${id}`)).body;
  const input = (userId: string, word: string, more: Partial<AttemptInput<string>> = {}): AttemptInput<string> => ({
    storeName: 'Doors',
    modality: 'PASSKEY',
    rpId: 'example.com',
    find: async () => ({ userId }),
    async run() {
      ensure(word === SECRET, 353, { counts: true });
      return 'welcome';
    },
    ...more,
  });
  const errorOf = async (work: Promise<unknown>): Promise<ApiError & { user: User }> => {
    const error = await work.then(
      () => assert.fail('it should be refused'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof ApiError, String(error));
    return Object.assign(error, { user: error.detail.user as User });
  };

  it('an attempt that succeeds resets the failures of its modality, and of no other', async () => {
    const { id } = await newUser();
    await errorOf(core.attempt(caller(), input(id, 'x')));
    await errorOf(core.attempt(caller(), input(id, 'x', { modality: 'APPKEY' })));
    const { result, user, authenticationId } = await core.attempt(caller(), input(id, SECRET));
    assert.deepEqual([result, authenticationId.length], ['welcome', 26]);
    assert.deepEqual(Object.keys(user.lockInfo.modalities), ['APPKEY']);
    assert.deepEqual(await userView(id), user);
    const { content } = (await grove.send('GET', `/stores/Doors/users/${id}/authentications?size=1`)).body;
    assert.equal(content[0].rpId, 'example.com');
  });

  it('an attempt that is refused commits its count, its writes and its event; one that throws leaves nothing behind', async () => {
    const { id } = await newUser();
    const { id: storeId } = await getStore(db(), caller(), 'Doors');
    const open = () =>
      db().write((tx) =>
        openCeremony(tx, {
          kind: 'PASSKEY_AUTHENTICATION',
          storeId,
          userId: id,
          data: {},
          lifeMs: MINUTE,
          now: grove.clock.now(),
        }),
      );
    const spending = (sessionId: string, fault?: Error): Partial<AttemptInput<string>> => ({
      async find(tx) {
        const ceremony = await takeCeremony(tx, 'PASSKEY_AUTHENTICATION', storeId, sessionId, grove.clock.now());
        if (!ceremony) throw new ApiError(100035);
        return { userId: id };
      },
      ...(fault && {
        async run() {
          throw fault;
        },
      }),
    });
    const first = await open();
    for (const fault of [new Error('a bug'), new ApiError(100030)]) {
      await assert.rejects(core.attempt(caller(), input(id, 'x', spending(first.sessionId, fault))), fault);
    }
    assert.equal((await userView(id)).lockInfo.failedCount, 0);
    const before = events.length;
    const error = await errorOf(core.attempt(caller(), input(id, 'x', spending(first.sessionId))));
    assert.deepEqual([error.code, error.user.lockInfo.failedCount], [353, 1]);
    const again = await errorOf(core.attempt(caller(), input(id, SECRET, spending(first.sessionId))));
    assert.equal(again.code, 100035);
    const [event] = events.slice(before);
    assert.deepEqual(
      [event?.type, event?.userId, event?.code, event?.modality, event?.rpId],
      ['identity.authenticationFailed', id, 353, 'PASSKEY', 'example.com'],
    );
  });

  it('an attempt of an unknown user is refused without a user, and has an event', async () => {
    const find = async () => {
      throw new Refusal(362, { counts: false });
    };
    const error = await errorOf(core.attempt(caller(), input('', 'x', { find })));
    assert.deepEqual([error.code, error.user], [362, undefined]);
    assert.deepEqual([events.at(-1)?.code, events.at(-1)?.userId], [362, undefined]);
    const nobody = await errorOf(core.attempt(caller(), input('01JZ4MCW8A0C2E4G6J8M0P2R4T', 'x')));
    assert.equal(nobody.code, 100028);
  });

  it('an attempt that was cancelled, timed out or malformed does not count as a failure', async () => {
    const { id } = await newUser();
    for (let time = 0; time < 20; time++) {
      const run = async () => {
        throw new Refusal(398, { counts: false });
      };
      const error = await errorOf(core.attempt(caller(), input(id, 'x', { run })));
      assert.deepEqual([error.code, error.user.lockInfo.failedCount], [398, 0]);
    }
    await core.attempt(caller(), input(id, SECRET));
  });

  it('an attempt with the face of a DISABLED user is refused with 2102, and any other attempt of an inactive user with 502', async () => {
    const { id } = await newUser({ status: 'DISABLED' });
    const face = await errorOf(core.attempt(caller(), input(id, SECRET, { modality: 'FACE' })));
    const other = await errorOf(core.attempt(caller(), input(id, SECRET)));
    assert.deepEqual([face.code, other.code, other.user.status], [2102, 502, 'DISABLED']);
    const { id: waiting } = await newUser({ status: 'PENDING_ACTIVE' });
    assert.equal((await errorOf(core.attempt(caller(), input(waiting, SECRET, { modality: 'FACE' })))).code, 502);
  });

  it('an attempt is refused with 2101 once its modality is disabled after a hundred failures, and other modalities still work', async () => {
    const { id } = await newUser();
    for (let failures = 0; failures < 100; ) {
      const error = await errorOf(core.attempt(caller(), input(id, 'x')));
      if (error.code === 353) failures += 1;
      else grove.clock.advance(HOUR);
    }
    grove.clock.advance(1000 * HOUR);
    await grove.renew();
    const error = await errorOf(core.attempt(caller(), input(id, SECRET)));
    const { PASSKEY } = error.user.lockInfo.modalities;
    assert.deepEqual([error.code, PASSKEY?.locked, PASSKEY?.tempLockExpiresDtm], [2101, true, undefined]);
    assert.equal(events.filter(({ type }) => type === 'identity.modalityDisabled').length, 1);
    await core.attempt(caller(), input(id, SECRET, { modality: 'TOTP' }));
    await core.registration(caller(), {
      storeName: 'Doors',
      modality: 'PASSKEY',
      find: async () => ({ userId: id }),
      run: async (_tx, user) => ({ user: user as UserRow, result: 'registered' }),
    });
    assert.equal((await core.attempt(caller(), input(id, SECRET))).result, 'welcome');
  });

  it('the event of an attempt names the process of the attempt, and queries find it by that process', async () => {
    const { id } = await newUser();
    const process = { parentProcessDefnName: 'Sign-in', parentProcessDefnVersion: 3, childProcessDefnTag: 'newest' };
    await core.attempt(caller(), input(id, SECRET, { process }));
    const { body } = await grove.query({ parentProcessDefnName: 'sign%' });
    assert.equal(body.results.length, 1);
    const { id: _id, createdDtm: _at, ...event } = body.results[0];
    assert.deepEqual(event, {
      type: 'identity.authenticationSucceeded',
      storeName: 'Doors',
      userId: id,
      modality: 'PASSKEY',
      rpId: 'example.com',
      ...process,
    });
  });

  it('an attempt that causes a lock has its own event before that of the lock, though both have the same time', async () => {
    const { id } = await newUser();
    grove.clock.advance(1);
    for (let time = 0; time < 5; time++) await errorOf(core.attempt(caller(), input(id, 'x')));
    const mine = (await grove.events('Doors')).filter(({ userId }) => userId === id).map(({ type }) => type);
    const failed = 'identity.authenticationFailed';
    assert.deepEqual(mine.slice(1), [failed, failed, failed, failed, failed, 'identity.modalityLocked']);
  });

  it('an attempt of a registration commits its refusal, counts no failure and answers with the user if it is known', async () => {
    const { id } = await newUser();
    const run = async () => {
      throw new Refusal(383, { counts: true });
    };
    const of = { storeName: 'Doors', modality: 'PASSKEY' } as const;
    const knownUser = await errorOf(core.registration(caller(), { ...of, find: async () => ({ userId: id }), run }));
    assert.deepEqual([knownUser.code, knownUser.user.id, knownUser.user.lockInfo.failedCount], [383, id, 0]);
    const unknown = await errorOf(core.registration(caller(), { ...of, find: async () => undefined, run }));
    assert.deepEqual([unknown.code, unknown.user], [383, undefined]);
    assert.equal(events.at(-1)?.type, 'identity.registrationFailed');
  });
});
