import { createPublicKey, randomBytes } from 'node:crypto';
import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import { addCeremony } from '../packages/server/src/identity-store/ceremonies/ceremonies.repository.ts';
import { addPasskey, type PasskeyRow } from '../packages/server/src/identity-store/passkeys/passkeys.repository.ts';
import type { AuthenticationCeremony } from '../packages/server/src/identity-store/passkeys/start-authentication.ts';
import {
  type StoredPasskey,
  verifyAuthentication,
} from '../packages/server/src/identity-store/passkeys/verify-authentication.ts';
import { addPolicy } from '../packages/server/src/identity-store/stores/store-policies.repository.ts';
import { addUser } from '../packages/server/src/identity-store/users/users.repository.ts';
import { newId } from '../packages/server/src/kernel/ids.ts';
import { type Authenticator, authenticator, coseKey } from '../packages/server/test/authenticator/authenticator.ts';
import { writeCbor } from '../packages/server/test/authenticator/write-cbor.ts';
import { timesChecks } from './bars.ts';
import type { ComparisonOptions } from './compare.ts';
import type { LoadRequest } from './load.ts';
import { median } from './numbers.ts';
import type { Figures } from './results.ts';
import { type Installation, TENANT } from './seed.ts';
import { installation, STORE, userOf } from './seed-identity.ts';

/** The users, each with a passkey. Their sessions are opened before the measurement begins; each session works once. */
const HOLDERS = 500;
/** More than a round of four seconds can use. */
const SESSIONS_PER_ROUND = 16_000;
/** The rounds that count, the warm-up, and one probe of the response. */
const MOST_ROUNDS = 7;
const PER_TRANSACTION = 2000;
const RP_ID = 'example.org';
const ORIGIN = `https://login.${RP_ID}`;
const LIFE_MS = 3_600_000;

type Holder = { device: Authenticator; userId: string };
type Session = { id: string; challenge: string; holder: Holder };

const places = { rpId: RP_ID, restrictedOrigins: [], relatedOrigins: [], topOrigins: [] };
let sessions: Session[] = [];

const newHolder = (userId: string): Holder => {
  // Without a counter, because the responses arrive in any order.
  const device = authenticator({ origin: ORIGIN, counts: false });
  device.memory.userHandle = Buffer.from(userId).toString('base64url');
  return { device, userId };
};

export function passkeyInstallation(): Promise<Installation> {
  return installation(async (app, storeId) => {
    const now = Date.now();
    const db = app.db.of(TENANT);
    const holders: Holder[] = [];
    await db.write(async (tx) => {
      const key = { storeId, kind: 'PASSKEY', name: RP_ID } as const;
      await addPolicy(tx, { ...key, config: JSON.stringify({ rpId: RP_ID }), sealed: null, now });
      for (let number = 0; number < HOLDERS; number++) {
        const user = userOf(storeId, number, now);
        const holder = newHolder(user.id);
        holders.push(holder);
        await addUser(tx, user);
        await addPasskey(tx, rowOf(holder, storeId, now));
      }
    });
    sessions = Array.from({ length: MOST_ROUNDS * SESSIONS_PER_ROUND }, (_, at) => ({
      id: newId(now),
      challenge: randomBytes(32).toString('base64url'),
      holder: holders[at % HOLDERS] as Holder,
    }));
    for (let from = 0; from < sessions.length; from += PER_TRANSACTION) {
      await db.write(async (tx) => {
        for (const { id, challenge, holder } of sessions.slice(from, from + PER_TRANSACTION)) {
          const allowed = [holder.device.id];
          const data: AuthenticationCeremony = { challenge, places, userVerification: 'required', allowed };
          await addCeremony(tx, {
            id,
            store_id: storeId,
            kind: 'PASSKEY_AUTHENTICATION',
            user_id: holder.userId,
            rp_id: RP_ID,
            policy_name: 'default',
            username: null,
            data: JSON.stringify(data),
            created_at: now,
            expires_at: now + LIFE_MS,
          });
        }
      });
    }
    return () => undefined;
  });
}

function rowOf({ device, userId }: Holder, store_id: string, now: number): PasskeyRow {
  const { publicKey, userHandle } = device.memory;
  return {
    id: newId(now),
    environment: 'live',
    store_id,
    user_id: userId,
    rp_id: RP_ID,
    credential_id: device.id,
    user_handle: userHandle,
    status: 'ACTIVE',
    alg: -7,
    sign_count: 0,
    user_verified: 1,
    backup_eligible: 0,
    public_key: publicKey.export({ type: 'spki', format: 'der' }),
    backed_up: 0,
    transports: '["internal"]',
    aaguid: '00000000-0000-0000-0000-000000000000',
    attestation_format: 'none',
    attestation_trust: 'none',
    created_at: now,
    last_used_at: null,
  };
}

/** Responses that were signed beforehand, each for a session of its own. */
export function passkeyRequests(bearer: string, round: number, count = SESSIONS_PER_ROUND): LoadRequest[] {
  if (round >= MOST_ROUNDS) throw new Error(`a session works once: at most ${MOST_ROUNDS - 2} rounds`);
  const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' };
  const first = round * SESSIONS_PER_ROUND;
  return sessions.slice(first, first + count).map(({ id, challenge, holder }) => ({
    method: 'POST',
    path: `/api/identity-store/stores/${STORE}/passkeys/authentications/sessions/${id}`,
    variants: [{ headers, body: JSON.stringify({ credential: holder.device.get({ challenge, rpId: RP_ID }) }) }],
  }));
}

const ASSERTIONS = 1000;
const AT_A_TIME = 20;

/** Compares only the verification with that of a well-known library, on the same assertions. */
export async function measurePasskeyVerify({
  rounds,
  progress,
}: Pick<ComparisonOptions, 'rounds' | 'progress'>): Promise<Figures> {
  const assertions = Array.from({ length: ASSERTIONS }, (_, at) => assertionOf(`user ${at}`));
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let number = 0; number <= rounds; number++) {
    let [ownMs, otherMs] = [0, 0];
    // The two take turns after a few assertions, so that a short burst of other work affects both.
    for (let from = 0; from < assertions.length; from += AT_A_TIME) {
      const some = assertions.slice(from, from + AT_A_TIME);
      ownMs += await timeOf(async () => {
        for (const { response, stored, expected } of some) verifyAuthentication(response, stored, expected);
      });
      otherMs += await timeOf(async () => {
        for (const { theirs: input } of some) {
          if (!(await verifyAuthenticationResponse(input)).verified)
            throw new Error('the library refused a valid assertion');
        }
      });
    }
    const [own, other] = [(ASSERTIONS * 1000) / ownMs, (ASSERTIONS * 1000) / otherMs];
    progress(`passkey-verify: ${number === 0 ? 'warm-up' : `round ${number}`}, ${(own / other).toFixed(2)} times`);
    if (number === 0) continue;
    ours.push(own);
    theirs.push(other);
  }
  const times = median(ours.map((own, at) => own / (theirs[at] as number)));
  return {
    kind: 'figures',
    name: 'passkey-verify',
    figures: [
      { what: 'assertions verified', value: median(ours), unit: 'per second' },
      { what: 'by @simplewebauthn/server', value: median(theirs), unit: 'per second' },
      { what: 'times as many', value: times, unit: '' },
    ],
    series: { ours, theirs },
    checks: timesChecks('passkey-verify', 'times as many', times),
  };
}

function assertionOf(userId: string) {
  const { device } = newHolder(userId);
  const { publicKey, userHandle } = device.memory;
  const challenge = randomBytes(32).toString('base64url');
  const response = device.get({ challenge, rpId: RP_ID });
  const key = createPublicKey({ key: publicKey.export({ type: 'spki', format: 'der' }), format: 'der', type: 'spki' });
  const stored: StoredPasskey = {
    credentialId: device.id,
    userId,
    userHandle,
    status: 'ACTIVE',
    alg: -7,
    key,
    signCount: 0,
    backupEligible: false,
  };
  const expected = { ...places, challenge, userId, allowed: [device.id], userVerification: 'required' } as const;
  const theirs: Parameters<typeof verifyAuthenticationResponse>[0] = {
    response: response as unknown as Parameters<typeof verifyAuthenticationResponse>[0]['response'],
    expectedChallenge: challenge,
    expectedOrigin: ORIGIN,
    expectedRPID: RP_ID,
    credential: { id: device.id, publicKey: new Uint8Array(writeCbor(coseKey(device.memory))), counter: 0 },
  };
  return { response, stored, expected, theirs };
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
