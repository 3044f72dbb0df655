import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { sql } from '../src/db/db.ts';
import { asTenantId } from '../src/kernel/ids.ts';
import type { TestPlace } from './harness.ts';
import { openTestIdentity } from './identity.ts';
import { openPushProviders } from './push-providers.ts';
import { uafAuthenticator } from './uaf/authenticator.ts';
import { openRelyingParty, RP } from './uaf/relying-party.ts';

const BUSY = sql(`SELECT count(*) AS total FROM jobs WHERE kind LIKE 'identity-store.%'
  AND (run_at <= $1 OR lease_until > 0)`);

export const HELLO = { type: 'GENERIC', title: 'Your bank', message: 'Was that you?' } as const;
export const PROVIDERS = ['APNS', 'FCM', 'WEB_PUSH'] as const;

export type PushWorld = Awaited<ReturnType<typeof openPushWorld>>;

/** A relying party that can push, the providers it pushes through, and users with devices. */
export async function openPushWorld(place: TestPlace) {
  const providers = await openPushProviders();
  const environment = { ...place.environment, GROVE_OUTBOUND_ALLOW: providers.allow };
  const grove = await openTestIdentity({ ...place, environment });
  const party = await openRelyingParty(grove, 'Bank');
  const acme = grove.app.db.of(asTenantId('acme'));
  const policyAt = (method: 'GET' | 'POST' | 'DELETE', tail = '', body?: object) =>
    grove.send(method, `${party.store}/pushNotificationPolicy${tail}`, body);
  const policy = await policyAt('POST', '', { rpId: RP, ...providers.settings });
  assert.equal(policy.status, 201, policy.text);
  const pushes = (user: { id: string }, tail = '') => `${party.store}/users/${user.id}/pushNotifications${tail}`;
  let browsers = 0;
  /** Runs all due jobs to their end, also those that the server's own queue has claimed. */
  const settle = async () => {
    for (let busy = 1; busy > 0; ) {
      await grove.app.jobs.runDue();
      busy = Number((await grove.app.db.system.get<{ total: number }>(BUSY, [grove.clock.now()]))?.total);
    }
  };

  return {
    settle,
    providers,
    grove,
    party,
    acme,
    policyAt,
    pushes,
    pushesExt: (user: { extId: string }, tail = '') =>
      `${party.store}/users/${user.extId}/pushNotifications${tail}/ext`,
    send: (user: { id: string }, body: object = HELLO, token?: string) =>
      grove.send('POST', pushes(user, `/relyingParties/${RP}`), body, token),
    answer: (user: { id: string }, id: string, body: object) => grove.send('POST', pushes(user, `/${id}`), body),
    statusOf: async (user: { id: string }, id: string) =>
      (await grove.send('GET', pushes(user, `/${id}`))).body.status as string,
    devicesOf: async (user: { id: string }) =>
      (await grove.send('GET', `${party.store}/users/${user.id}`)).body.summaryInfo.devices,
    /** A user with a phone of each make and a browser. */
    async everybody() {
      const user = await party.user();
      browsers += 1;
      const web = `browser-${browsers}`;
      const apple = randomBytes(32).toString('hex');
      const google = `google-${browsers}`;
      const kinds = [
        ['iphone', 'APNS', apple],
        ['android', 'FCM', google],
        ['browser', 'WEB_PUSH', providers.subscribe(web)],
      ] as const;
      for (const [deviceId, pushProvider, pushToken] of kinds) {
        const done = await party.register(user, uafAuthenticator(), { deviceId, pushProvider, pushToken });
        assert.equal(done.status, 200, done.text);
      }
      return { user, apple, google, web };
    },
    /** Waits for pending jobs, and removes all messages and answers. */
    async quiet() {
      await settle();
      providers.arrived.length = 0;
      for (const provider of PROVIDERS) delete providers.answers[provider];
    },
    async stop() {
      await grove.stop();
      await providers.close();
    },
  };
}
