import { api } from '@grove/contract';
import type { TenantTx } from '../../db/db.ts';
import { toDtm } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type Handlers, implement } from '../../kernel/implement.ts';
import { ensure, Refusal } from '../attempts/refusal.ts';
import { openCeremony, takeCeremony } from '../ceremonies/ceremonies.ts';
import { newChallenge } from '../ceremonies/challenge-rules.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getActiveStore, type Store } from '../stores/find-store.ts';
import { getUser, givenUserRef } from '../users/find-user.ts';
import { type AppkeyRow, advanceCounter, appkeysOf, findAppkey } from './appkeys.repository.ts';
import { getConfig, policyOf } from './configs.ts';
import { type ClientAttempt, readAttempt } from './read-attempt.ts';
import { readSessionData, SESSION_LIFE_MS, type SessionMemory, spendChallenge } from './session-data.ts';
import { ensureTransaction, transactionBytes } from './transaction-rules.ts';
import { statementOf } from './uaf/final-challenge.ts';
import type { AppkeyConfig } from './uaf/match-policy.ts';
import { matchesPolicy, type UafPolicy } from './uaf/match-policy.ts';
import { signedOf, verifyAuthentication } from './uaf/verify-authentication.ts';
import { isSignedByElsewhere, keyOf } from './uaf/verify-signature.ts';
import { authenticationRequest, narrowPolicy, type Transaction } from './uaf/write-request.ts';

type Authentications = Pick<typeof api.appkeys, 'startAuthentication' | 'authenticate' | 'authenticateWithSession'>;

/** The values with which the client's answer is compared. They come from our session or from the caller's session. */
type ExpectedAnswer = {
  rpId: string;
  config: AppkeyConfig;
  policies: UafPolicy[];
  challenge: string;
  transaction?: Transaction | undefined;
};

export function appkeyAuthenticationHandlers(core: IdentityCore) {
  return implement<Authentications>(api.appkeys, {
    startAuthentication: startHandler(core),
    authenticateWithSession: withSession(core),
    authenticate: withoutSession(core),
  });
}

function startHandler(core: IdentityCore): Handlers<Authentications>['startAuthentication'] {
  return async (context, { params, body }) => {
    const { db, now } = context;
    const { rpId } = params;
    const transaction = body?.transaction;
    ensureTransaction(transaction, '/transaction');
    const store = await getActiveStore(db, context, params.storeName);
    const user = await getUser(db, store.id, givenUserRef(params));
    const config = await getConfig(db, store.id, rpId);
    const policy = policyOf(config.authenticationPolicies, params.authPolicyName);
    await core.ensureUsable(db, user, { modality: 'APPKEY', now });
    const usable = (await appkeysOf(db, { userId: user.id, rpId })).filter((key) => mayAnswer(key, policy, config));
    if (usable.length === 0) throw new ApiError(100032);
    const challenge = newChallenge();
    const data: SessionMemory = { challenge, policy, ...(transaction && { transaction }) };
    const { sessionId, expiresAt } = await db.write((tx) =>
      openCeremony(tx, {
        kind: 'APPKEY_AUTHENTICATION',
        storeId: store.id,
        userId: user.id,
        rpId,
        data,
        now,
        policyName: params.authPolicyName,
        lifeMs: SESSION_LIFE_MS,
      }),
    );
    const request = { config, challenge, policy: narrowPolicy(policy, usable) };
    return {
      sessionId,
      expiringDtm: toDtm(expiresAt),
      uafProtocolMessage: authenticationRequest(request, transaction),
    };
  };
}

/**
 * Authenticates with a session of ours. Taking the session spends it. The session holds the expected values and the
 * user.
 */
function withSession({ attempt }: IdentityCore): Handlers<Authentications>['authenticateWithSession'] {
  return async (context, { params, body }) => {
    const expected = {} as ExpectedAnswer;
    const { authenticationId, user } = await attempt(context, {
      storeName: params.storeName,
      modality: 'APPKEY',
      async find(tx, store) {
        // Checked before the session is spent: the caller used the wrong operation and may try again with this session.
        ensure(body.sessionData === undefined, 1014, { counts: false });
        const { sessionId } = params;
        const kind = 'APPKEY_AUTHENTICATION';
        const session = await takeCeremony<SessionMemory>(tx, kind, store.id, sessionId, context.now);
        if (!session) throw new ApiError(100035);
        const rpId = session.rp_id as string;
        const { challenge, policy, transaction } = session.data;
        const config = await getConfig(tx, store.id, rpId);
        Object.assign(expected, { rpId, config, policies: [policy], challenge, transaction } satisfies ExpectedAnswer);
        return { userId: session.user_id as string, rpId };
      },
      run: (tx, { id: userId }, now, store) =>
        compare(tx, { store, userId, expected, now, attempt: readAttempt(body) }),
    });
    return { authenticationId, user };
  };
}

/** Authenticates with a session of the caller: its challenge is spent. */
function withoutSession({ attempt }: IdentityCore): Handlers<Authentications>['authenticate'] {
  return async (context, { params, body }) => {
    const expected = {} as ExpectedAnswer;
    const answer = readOnce(body);
    const ahead = await lookAhead(context, { ...params, rpId: body.sessionData?.rpId, answer });
    const { authenticationId, user } = await attempt(context, {
      storeName: params.storeName,
      modality: 'APPKEY',
      ...(body.sessionData?.rpId && { rpId: body.sessionData.rpId }),
      async find(tx, store) {
        const session = readSessionData(body.sessionData, 'authentication');
        const { rpId, challenge, policy, authPolicyName = '', username, transaction } = session;
        ensureTransaction(transaction, '/sessionData/transaction');
        const config = await getConfig(tx, store.id, rpId);
        // Both policies must hold: the one that the caller sent and the one of the relying party.
        const policies = [policyOf(config.authenticationPolicies, authPolicyName), policy];
        Object.assign(expected, { rpId, config, policies, challenge, transaction } satisfies ExpectedAnswer);
        await spendChallenge(tx, { kind: 'AUTHENTICATION', storeId: store.id, rpId, challenge, now: context.now });
        if (username !== undefined) return { userExtId: username, rpId };
        // The caller named no user, so the user is the owner of the key.
        const key = ahead?.key ?? (await findAppkey(tx, { storeId: store.id, rpId, keyId: keyIdOf(answer()) }));
        if (!key) throw new Refusal(1058, { counts: false });
        return { userId: key.user_id, rpId };
      },
      run: (tx, { id: userId }, now, store) => compare(tx, { store, userId, expected, now, attempt: answer(), ahead }),
    });
    return { authenticationId, user };
  };
}

/**
 * Returns a function that reads the client's answer at the first call and returns the same result at every later call.
 */
function readOnce(body: Parameters<typeof readAttempt>[0]): () => ClientAttempt {
  let attempt: ClientAttempt | undefined;
  return () => {
    attempt ??= readAttempt(body);
    return attempt;
  };
}

/** The key that an answer names, and whether the signature of the answer is from this key. */
type AnswerKey = { key: AppkeyRow; signed: boolean };

type LookAhead = { storeName: string; rpId: string | undefined; answer: () => ClientAttempt };

/**
 * Verifies the signature before the transaction. Verification takes longer than the rest of the attempt, and inside the
 * transaction other requests would wait for it. Its result cannot change in between. This function refuses nothing: the
 * transaction finds every fault again and reports it in the right order.
 */
async function lookAhead(context: Context, { storeName, rpId, answer }: LookAhead): Promise<AnswerKey | undefined> {
  if (!rpId) return undefined;
  try {
    const attempt = answer();
    const store = await getActiveStore(context.db, context, storeName);
    const key = await findAppkey(context.db, { storeId: store.id, rpId, keyId: keyIdOf(attempt) });
    if (!key) return undefined;
    return { key, signed: await isSignedByElsewhere(keyOf(key.public_key), signedOf(attempt.assertion, key)) };
  } catch (error) {
    if (error instanceof Refusal || error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Whether a key could satisfy the policy, as far as the server can know before the key signs. */
function mayAnswer(key: AppkeyRow, policy: UafPolicy, config: AppkeyConfig): boolean {
  const { aaid, key_id: keyId, sign_algorithm: signAlgorithm, status, key_type } = key;
  const presented = { aaid, keyId, signAlgorithm, authenticatorVersion: ANY_VERSION };
  const isTypeAllowed = config.keyTypes?.includes(key_type) ?? true;
  return status === 'ACTIVE' && isTypeAllowed && matchesPolicy(policy, presented, statementOf(config, aaid));
}

/** The highest version. Only an assertion contains the real one, so no minimum version excludes a key here. */
const ANY_VERSION = 65_535;

function keyIdOf({ assertion }: ClientAttempt): string {
  return assertion.keyId.toString('base64url');
}

type Comparison = {
  store: Store;
  userId: string;
  expected: ExpectedAnswer;
  now: number;
  attempt: ClientAttempt;
  ahead?: AnswerKey | undefined;
};

async function compare(tx: TenantTx, { store, userId, expected, now, attempt, ahead }: Comparison): Promise<void> {
  const { rpId, config, policies, challenge } = expected;
  const name = { storeId: store.id, rpId, keyId: keyIdOf(attempt) };
  const key = ahead?.key ?? (await findAppkey(tx, name));
  const transaction = expected.transaction && transactionBytes(expected.transaction);
  const answer = { ...attempt, key, signed: ahead?.signed };
  const signCount = verifyAuthentication(answer, { config, policies, challenge, userId, transaction });
  if (await advanceCounter(tx, { id: (key as AppkeyRow).id, signCount, now })) return;
  // The key may have been read before the user was locked. In between it can have been used, disabled or removed.
  const keyNow = await findAppkey(tx, name);
  ensure(keyNow, 1058, { counts: false });
  ensure(keyNow.status === 'ACTIVE', 1060, { counts: false });
  throw new Refusal(1061, { counts: true });
}
