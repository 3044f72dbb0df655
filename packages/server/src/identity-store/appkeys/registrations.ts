import { api, type Body } from '@grove/contract';
import type { TenantTx } from '../../db/db.ts';
import { toDtm } from '../../kernel/clock.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { implement } from '../../kernel/implement.ts';
import { pathNameFault } from '../../kernel/path-name.ts';
import { Refusal } from '../attempts/refusal.ts';
import { openCeremony, takeCeremony } from '../ceremonies/ceremonies.ts';
import { newChallenge } from '../ceremonies/challenge-rules.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getActiveStore, type Store } from '../stores/find-store.ts';
import { getUser, givenUserRef, type UserRow } from '../users/find-user.ts';
import { type AppkeyRow, addAppkey, appkeysOf, countAppkeys } from './appkeys.repository.ts';
import { getConfig, policyOf } from './configs.ts';
import { preferDevice, putDevice } from './devices.repository.ts';
import { providerOf } from './facet-rules.ts';
import { sealPushToken } from './push-tokens.ts';
import { readSessionData, SESSION_LIFE_MS, type SessionMemory, spendChallenge } from './session-data.ts';
import { toAppkey } from './to-appkey.ts';
import { Malformed } from './uaf/malformed.ts';
import type { UafPolicy } from './uaf/match-policy.ts';
import { readRegistrationAssertion } from './uaf/read-assertion.ts';
import { readResponse } from './uaf/read-response.ts';
import { type NewKey, verifyRegistration } from './uaf/verify-registration.ts';
import { registrationRequest, without } from './uaf/write-request.ts';

/** The limit counts the keys of all relying parties together. The summary of a user shows that many. */
export const MAX_APPKEYS_PER_USER = 100;

type Registrations = Pick<typeof api.appkeys, 'startRegistration' | 'completeRegistration'>;
type Completion = Body<typeof api.appkeys.completeRegistration>;

/** The values with which the client's answer is compared. They come from our session or from the caller's session. */
type ExpectedAnswer = { rpId: string; policy: UafPolicy; challenge: string };

export function appkeyRegistrationHandlers(core: IdentityCore) {
  return implement<Registrations>(api.appkeys, {
    async startRegistration(context, { params, body }) {
      const { db, now } = context;
      const { rpId } = params;
      const store = await getActiveStore(db, context, params.storeName);
      const user = await getUser(db, store.id, givenUserRef(params));
      const config = await getConfig(db, store.id, rpId);
      const policy = policyOf(config.registrationPolicies, params.regPolicyName);
      await core.ensureUsable(db, user, { now });
      if ((await countAppkeys(db, { userId: user.id })) >= MAX_APPKEYS_PER_USER) throw new ApiError(100116);
      const keys = await appkeysOf(db, { userId: user.id, rpId });
      const username = body?.username ?? user.ext_id ?? user.id;
      const challenge = newChallenge();
      const data: SessionMemory = { challenge, policy };
      const { sessionId, expiresAt } = await db.write((tx) =>
        openCeremony(tx, {
          kind: 'APPKEY_REGISTRATION',
          storeId: store.id,
          userId: user.id,
          rpId,
          data,
          username,
          now,
          policyName: params.regPolicyName,
          lifeMs: SESSION_LIFE_MS,
        }),
      );
      const uafProtocolMessage = registrationRequest({ config, challenge, policy: without(policy, keys), username });
      return { sessionId, expiringDtm: toDtm(expiresAt), uafProtocolMessage };
    },

    async completeRegistration(context, { params, body }) {
      let expected: ExpectedAnswer;
      const fault = pathNameFault('/deviceId', body.deviceId);
      if (fault) throw invalidInput(fault);
      const { user, result } = await core.registration(context, {
        storeName: params.storeName,
        modality: 'APPKEY',
        async find(tx, store) {
          const { userRef, ...expectedAnswer } = await findExpectedAnswer(tx, store, body, context.now);
          expected = expectedAnswer;
          return { ...userRef, rpId: expected.rpId };
        },
        async run(tx, userRow, now, store) {
          const owner = userRow as UserRow;
          return { user: owner, result: await register(core, tx, { expected, body, user: owner, store, now }) };
        },
      });
      return { appkey: toAppkey(result), user };
    },
  });
}

async function findExpectedAnswer(tx: TenantTx, store: Store, { sessionId, sessionData }: Completion, now: number) {
  if (sessionId !== undefined && sessionData) throw new Refusal(1014, { counts: false });
  if (sessionId !== undefined) {
    const session = await takeCeremony<SessionMemory>(tx, 'APPKEY_REGISTRATION', store.id, sessionId, now);
    if (!session) throw new ApiError(100035);
    const { challenge, policy } = session.data;
    return { userRef: { userId: session.user_id as string }, rpId: session.rp_id as string, challenge, policy };
  }
  const { challenge, rpId, policy, username } = readSessionData(sessionData, 'registration');
  if (!username)
    throw invalidInput({ pointer: '/sessionData/username', message: 'is required: it names the user of the key' });
  await getConfig(tx, store.id, rpId);
  await spendChallenge(tx, { kind: 'REGISTRATION', storeId: store.id, rpId, challenge, now });
  return { userRef: { userExtId: username }, rpId, challenge, policy };
}

type RegistrationInput = { expected: ExpectedAnswer; body: Completion; user: UserRow; store: Store; now: number };

async function register(core: IdentityCore, tx: TenantTx, input: RegistrationInput): Promise<AppkeyRow> {
  const { expected, body, user, store, now } = input;
  const { rpId } = expected;
  const config = await getConfig(tx, store.id, rpId);
  const key = readKey(body.response, { ...expected, config, now });
  if ((await countAppkeys(tx, { userId: user.id })) >= MAX_APPKEYS_PER_USER)
    throw new Refusal(100116, { counts: false });
  const device = { userId: user.id, rpId, deviceId: body.deviceId ?? newId(now) };
  const row: AppkeyRow = {
    id: newId(now),
    store_id: store.id,
    user_id: user.id,
    rp_id: rpId,
    device_id: device.deviceId,
    key_id: key.keyId,
    aaid: key.aaid,
    key_type: key.keyType,
    status: 'ACTIVE',
    attestation: key.attestation,
    sign_algorithm: key.signAlgorithm,
    public_key: key.publicKey,
    sign_count: key.signCount,
    created_at: now,
    last_used_at: null,
  };
  if (!(await addAppkey(tx, row))) throw new Refusal(100110, { counts: false });
  const token = body.pushToken === undefined ? null : await sealPushToken(core.vault, tx, device, body.pushToken);
  await putDevice(tx, { ...device, provider: body.pushProvider ?? providerOf(key.facetId), token, now });
  if (body.preferred) await preferDevice(tx, device, now);
  return row;
}

/** Reads and verifies the response; returns the new key. */
function readKey(response: Completion['response'], expected: Parameters<typeof verifyRegistration>[1]): NewKey {
  try {
    const parsed = readResponse(response);
    if (parsed.kind !== 'RESPONSE' || parsed.op !== 'Reg') throw new Malformed('it is not one registration response');
    return verifyRegistration({ response: parsed, assertion: readRegistrationAssertion(parsed.assertion) }, expected);
  } catch (error) {
    if (error instanceof Malformed) throw new Refusal(100115, { counts: false });
    throw error;
  }
}
