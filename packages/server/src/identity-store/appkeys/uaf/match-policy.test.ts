import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keyTypeOf, type MatchCriteria, type MetadataStatement, matchesPolicy } from './match-policy.ts';
import { SIGN, TAG, USER_VERIFY_ALL } from './registry.ts';

const FINGERPRINT = 2;
const PASSCODE = 4;
const FACEPRINT = 16;

const presented = {
  aaid: '4E4E#4001',
  keyId: 'key',
  authenticatorVersion: 3,
  signAlgorithm: SIGN.SECP256R1_ECDSA_SHA256_RAW,
  attestationType: TAG.ATTESTATION_BASIC_SURROGATE,
};
const statement: MetadataStatement = { aaid: '4E4E#4001', userVerification: FINGERPRINT | PASSCODE, keyProtection: 2 };
const takes = (criteria: MatchCriteria, metadata: MetadataStatement | undefined = statement) =>
  matchesPolicy({ accepted: [[criteria]] }, presented, metadata);

describe('a UAF policy', () => {
  it('a UAF policy accepts an authenticator that meets every criterion, and none that misses one', () => {
    const cases: [MatchCriteria, MatchCriteria][] = [
      [{ aaid: ['4e4e#4001'] }, { aaid: ['4E4E#4002'] }],
      [{ vendorID: ['4e4e'] }, { vendorID: ['4E4F'] }],
      [{ keyIDs: ['other', 'key'] }, { keyIDs: ['other'] }],
      [{ authenticationAlgorithms: [1] }, { authenticationAlgorithms: [2, 3] }],
      [{ assertionSchemes: ['UAFV1TLV'] }, { assertionSchemes: ['OTHER'] }],
      [{ attestationTypes: [TAG.ATTESTATION_BASIC_SURROGATE] }, { attestationTypes: [TAG.ATTESTATION_BASIC_FULL] }],
      [{ authenticatorVersion: 3 }, { authenticatorVersion: 4 }],
      [{ userVerification: FINGERPRINT | FACEPRINT }, { userVerification: FACEPRINT }],
      [
        { userVerification: FINGERPRINT | USER_VERIFY_ALL, keyProtection: 2 },
        { userVerification: FINGERPRINT | FACEPRINT | USER_VERIFY_ALL },
      ],
      [{ keyProtection: 3 }, { keyProtection: 1 }],
      [{}, { matcherProtection: 1 }],
      [{}, { attachmentHint: 1 }],
      [{}, { tcDisplay: 1 }],
    ];
    const all = { ...statement, userVerification: FINGERPRINT | PASSCODE | USER_VERIFY_ALL };
    for (const [good, bad] of cases) {
      assert.ok(takes(good, all), JSON.stringify(good));
      assert.ok(!takes(bad, all), JSON.stringify(bad));
    }
  });

  it('a UAF policy does not match a criterion about a model without a metadata statement', () => {
    const unknown = (criteria: MatchCriteria) => matchesPolicy({ accepted: [[criteria]] }, presented);
    assert.ok(unknown({}));
    for (const name of ['userVerification', 'keyProtection', 'matcherProtection', 'attachmentHint', 'tcDisplay']) {
      assert.ok(!unknown({ [name]: 0x7fffffff }), name);
    }
  });

  it('a UAF policy accepts any of its alternatives, and no disallowed one', () => {
    const accepted = [[{ aaid: ['FFFF#0001'] }], [{ vendorID: ['4E4E'] }]];
    assert.ok(matchesPolicy({ accepted }, presented));
    assert.ok(!matchesPolicy({ accepted, disallowed: [{ aaid: ['4E4E#4001'] }] }, presented));
    assert.ok(!matchesPolicy({ accepted: [] }, presented));
  });

  it('a UAF policy counts a key as biometric only if its model is known to verify biometrics', () => {
    assert.equal(keyTypeOf(statement), 'BIOMETRIC');
    assert.equal(keyTypeOf({ ...statement, userVerification: PASSCODE }), 'DEVICE');
    assert.equal(keyTypeOf(undefined), 'DEVICE');
  });
});
