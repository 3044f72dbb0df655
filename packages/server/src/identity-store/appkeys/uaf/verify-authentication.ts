import { hash, timingSafeEqual } from 'node:crypto';
import { ensure } from '../../attempts/refusal.ts';
import { checkFinalChallenge, statementOf } from './final-challenge.ts';
import type { AppkeyConfig } from './match-policy.ts';
import { type KeyType, matchesPolicy, type UafPolicy } from './match-policy.ts';
import type { AuthenticationAssertion } from './read-assertion.ts';
import type { UafResponse } from './read-response.ts';
import { MODE } from './registry.ts';
import { isSignedBy, keyOf, type SignedData } from './verify-signature.ts';

/**
 * Verifies that the user's key signed the expected challenge. Pure: the caller looks up the key and stores its counter.
 * Algorithm, key and policy come from the registration and the session, never from the assertion, which an attacker can
 * write.
 */
export type RegisteredKey = {
  readonly user_id: string;
  readonly key_id: string;
  readonly aaid: string;
  readonly key_type: KeyType;
  readonly status: 'ACTIVE' | 'DISABLED';
  readonly sign_algorithm: number;
  readonly public_key: Uint8Array;
  readonly sign_count: number;
};

export type ExpectedAnswer = {
  readonly config: AppkeyConfig;
  /** All of these policies must accept the authenticator. */
  readonly policies: readonly UafPolicy[];
  readonly challenge: string;
  readonly userId: string;
  /** The transaction that the user was asked to confirm, exactly as it was displayed. */
  readonly transaction?: Buffer | undefined;
};

const COUNTS = { counts: true } as const;
/** For faults that the user did not cause: they are not counted as failed attempts. */
const COUNTS_NOT = { counts: false } as const;

export type Answer = {
  readonly response: UafResponse;
  readonly assertion: AuthenticationAssertion;
  readonly key: RegisteredKey | undefined;
  /** The result of the signature check, if it ran before the transaction. */
  readonly signed?: boolean | undefined;
};

/** Verifies the answer; returns the counter to store. */
export function verifyAuthentication({ response, assertion, key, signed }: Answer, expected: ExpectedAnswer): number {
  const { config, policies, userId } = expected;
  checkFinalChallenge(response, expected);
  ensure(key, 1058, COUNTS);
  ensure(key.user_id === userId, 1059, COUNTS);
  ensure(key.status === 'ACTIVE', 1060, COUNTS_NOT);
  ensure(config.keyTypes?.includes(key.key_type) ?? true, 1035, COUNTS_NOT);
  const { aaid, signAlgorithm, authenticatorVersion } = assertion;
  ensure(aaid === key.aaid && signAlgorithm === key.sign_algorithm, 100112, COUNTS);
  const presented = { aaid, keyId: key.key_id, authenticatorVersion, signAlgorithm };
  const statement = statementOf(config, aaid);
  ensure(
    policies.every((policy) => matchesPolicy(policy, presented, statement)),
    100111,
    COUNTS_NOT,
  );
  ensure(isHashOf(assertion.finalChallengeHash, response.fcParams), 100112, COUNTS);
  checkTransaction(assertion, expected.transaction);
  ensure(signed ?? isSignedBy(keyOf(key.public_key), signedOf(assertion, key)), 100112, COUNTS);
  ensure(advances(key.sign_count, assertion.signCounter), 1061, COUNTS);
  return assertion.signCounter;
}

/** The data and signature to verify. The algorithm is that of the registration, not that of the assertion. */
export function signedOf({ signed: data, signature }: AuthenticationAssertion, key: RegisteredKey): SignedData {
  return { signAlgorithm: key.sign_algorithm, data, signature };
}

/** The counter must grow. A counter that stays 0 belongs to an authenticator without a counter. */
export function advances(before: number, now: number): boolean {
  return now > before || (now === 0 && before === 0);
}

export function isHashOf(claimed: Buffer, content: string | Buffer): boolean {
  const expected = hash('sha256', content, 'buffer');
  return claimed.length === expected.length && timingSafeEqual(claimed, expected);
}

/** Ensures that the user confirmed exactly the requested transaction, or none if none was requested. */
function checkTransaction({ mode, transactionHash }: AuthenticationAssertion, transaction: Buffer | undefined): void {
  if (transaction === undefined) {
    ensure(mode === MODE.VERIFIED && transactionHash.length === 0, 100113, COUNTS);
    return;
  }
  ensure(mode === MODE.CONFIRMED && isHashOf(transactionHash, transaction), 100113, COUNTS);
}
