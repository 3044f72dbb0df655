import { addAppkey } from '../packages/server/src/identity-store/appkeys/appkeys.repository.ts';
import { putDevice } from '../packages/server/src/identity-store/appkeys/devices.repository.ts';
import { SIGN } from '../packages/server/src/identity-store/appkeys/uaf/registry.ts';
import { addPolicy } from '../packages/server/src/identity-store/stores/store-policies.repository.ts';
import { addUser } from '../packages/server/src/identity-store/users/users.repository.ts';
import { newId } from '../packages/server/src/kernel/ids.ts';
import {
  AAID,
  ownRequest,
  type UafAuthenticator,
  uafAuthenticator,
} from '../packages/server/test/uaf/authenticator.ts';
import { ANY_POLICY, APP_ID, CONFIG, ownChallenge, RP } from '../packages/server/test/uaf/relying-party.ts';
import type { LoadRequest } from './load.ts';
import { type Installation, TENANT } from './seed.ts';
import { installation, STORE, userOf } from './seed-identity.ts';

/** The users, each with an appkey. Their authenticators sign all responses before the measurement begins. */
const HOLDERS = 500;
/** More than a round of four seconds can use; each challenge works once. */
const ANSWERS = 16_000;

let authenticators: UafAuthenticator[] = [];

export function appkeyInstallation(): Promise<Installation> {
  authenticators = Array.from({ length: HOLDERS }, () => uafAuthenticator());
  return installation(async (app, storeId) => {
    const now = Date.now();
    await app.db.of(TENANT).write(async (tx) => {
      const key = { storeId, kind: 'APPKEY', name: RP } as const;
      await addPolicy(tx, { ...key, config: JSON.stringify(CONFIG), sealed: null, now });
      for (const [number, authenticator] of authenticators.entries()) {
        const user = userOf(storeId, number, now);
        await addUser(tx, user);
        await addAppkey(tx, {
          id: newId(now),
          store_id: storeId,
          user_id: user.id,
          rp_id: RP,
          device_id: 'phone',
          aaid: AAID,
          key_id: authenticator.keyId,
          key_type: 'DEVICE',
          status: 'ACTIVE',
          attestation: 'SURROGATE',
          sign_algorithm: SIGN.SECP256R1_ECDSA_SHA256_RAW,
          public_key: authenticator.publicKey.export({ type: 'spki', format: 'der' }),
          sign_count: 0,
          created_at: now,
          last_used_at: null,
        });
        await putDevice(tx, { userId: user.id, rpId: RP, deviceId: 'phone', provider: 'FCM', token: null, now });
      }
    });
    return () => undefined;
  });
}

/** Responses to challenges of the caller, each to a challenge of its own. */
export function appkeyRequests(bearer: string, count = ANSWERS): LoadRequest[] {
  const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' };
  return Array.from({ length: count }, (_, number) => {
    const challenge = ownChallenge();
    const sessionData = { challenge, rpId: RP, policy: ANY_POLICY, authPolicyName: 'standard' };
    const authenticator = authenticators[number % HOLDERS] as UafAuthenticator;
    // Without a counter, because the responses arrive in any order.
    const response = authenticator.authenticate(ownRequest('Auth', challenge, APP_ID), { counter: 0 });
    const body = JSON.stringify({ sessionData, response });
    return {
      method: 'POST',
      path: `/api/identity-store/stores/${STORE}/appkeys/authentications`,
      variants: [{ headers, body }],
    };
  });
}
