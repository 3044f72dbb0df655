import { ensure } from '../../attempts/refusal.ts';
import { checkFinalChallenge, statementOf } from './final-challenge.ts';
import type { AppkeyConfig } from './match-policy.ts';
import { type KeyType, keyTypeOf, matchesPolicy, type UafPolicy } from './match-policy.ts';
import type { RegistrationAssertion } from './read-assertion.ts';
import type { UafResponse } from './read-response.ts';
import { MODE } from './registry.ts';
import { attestationFault, attestationTypeOf } from './verify-attestation.ts';
import { isHashOf } from './verify-authentication.ts';
import { toSpki } from './verify-signature.ts';

/** The values with which a registration response is compared. Verification is pure; the time comes in as `now`. */
export type ExpectedRegistration = {
  readonly config: AppkeyConfig;
  readonly policy: UafPolicy;
  readonly challenge: string;
  readonly now: number;
};

export type NewKey = {
  readonly keyId: string;
  readonly aaid: string;
  readonly keyType: KeyType;
  readonly signAlgorithm: number;
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly attestation: 'FULL' | 'SURROGATE';
  readonly facetId: string;
};

const COUNTS_NOT = { counts: false } as const;

/** Throws a `Refusal`, or `Malformed` if the key or a certificate cannot be read. */
export function verifyRegistration(
  { response, assertion }: { response: UafResponse; assertion: RegistrationAssertion },
  { config, policy, challenge, now }: ExpectedRegistration,
): NewKey {
  checkFinalChallenge(response, { config, challenge });
  const { aaid, signAlgorithm, keyAlgorithm, authenticatorVersion, attestation, signCounter } = assertion;
  const keyId = assertion.keyId.toString('base64url');
  const statement = statementOf(config, aaid);
  const presented = { aaid, keyId, authenticatorVersion, signAlgorithm, attestationType: attestationTypeOf(assertion) };
  ensure(matchesPolicy(policy, presented, statement), 100111, COUNTS_NOT);
  const keyType = keyTypeOf(statement);
  ensure(config.keyTypes?.includes(keyType) ?? true, 1035, COUNTS_NOT);
  ensure(isHashOf(assertion.finalChallengeHash, response.fcParams), 100112, COUNTS_NOT);
  ensure(assertion.mode === MODE.VERIFIED, 100112, COUNTS_NOT);
  const publicKey = toSpki(signAlgorithm, keyAlgorithm, assertion.publicKey);
  ensure(attestationFault({ assertion, spki: publicKey, statement }, now) === undefined, 100114, COUNTS_NOT);
  return {
    keyId,
    aaid,
    keyType,
    signAlgorithm,
    publicKey,
    signCount: signCounter,
    attestation,
    facetId: response.final.facetId,
  };
}
