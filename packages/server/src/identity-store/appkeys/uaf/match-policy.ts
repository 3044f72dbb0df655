import { BIOMETRIC_METHODS, USER_VERIFY_ALL } from './registry.ts';

/** A FIDO UAF policy: whom it takes, and whom it does not although they were taken. */
export type MatchCriteria = {
  aaid?: string[];
  vendorID?: string[];
  keyIDs?: string[];
  userVerification?: number;
  keyProtection?: number;
  matcherProtection?: number;
  attachmentHint?: number;
  tcDisplay?: number;
  authenticationAlgorithms?: number[];
  assertionSchemes?: string[];
  attestationTypes?: number[];
  authenticatorVersion?: number;
};

export type UafPolicy = { accepted: MatchCriteria[][]; disallowed?: MatchCriteria[] };

/** What the relying party knows of a model of authenticator; a part of FIDO's metadata statement. */
export type MetadataStatement = {
  aaid: string;
  description?: string;
  userVerification?: number;
  keyProtection?: number;
  matcherProtection?: number;
  attachmentHint?: number;
  tcDisplay?: number;
  authenticationAlgorithms?: number[];
  attestationTypes?: number[];
  /** base64 of DER, as in FIDO's own statements. */
  attestationRootCertificates?: string[];
};

/** The authenticator that made an assertion. */
export type PresentedKey = {
  aaid: string;
  keyId: string;
  authenticatorVersion: number;
  signAlgorithm: number;
  /** Known only when it is registered. */
  attestationType?: number | undefined;
};

/**
 * Whether the policy takes the authenticator. What the assertion does not tell comes from the metadata statement; where
 * there is none, a criterion that asks for it is not met.
 */
export function matchesPolicy(policy: UafPolicy, presented: PresentedKey, statement?: MetadataStatement): boolean {
  const matches = (criteria: MatchCriteria) => matchesCriteria(criteria, presented, statement);
  if (policy.disallowed?.some(matches)) return false;
  return policy.accepted.some((set) => set.every(matches));
}

function matchesCriteria(criteria: MatchCriteria, presented: PresentedKey, statement?: MetadataStatement): boolean {
  const { aaid, vendorID, keyIDs, authenticationAlgorithms, assertionSchemes, attestationTypes } = criteria;
  const one = <T>(list: readonly T[] | undefined, value: T | undefined) =>
    list === undefined || (value !== undefined && list.includes(value));
  const vendor = presented.aaid.slice(0, 4);
  // The attestation type is known, and checked, only at registration.
  const attested = presented.attestationType === undefined || one(attestationTypes, presented.attestationType);
  return (
    one(aaid?.map(upper), upper(presented.aaid)) &&
    one(vendorID?.map(upper), upper(vendor)) &&
    one(keyIDs, presented.keyId) &&
    one(authenticationAlgorithms, presented.signAlgorithm) &&
    one(assertionSchemes, 'UAFV1TLV') &&
    attested &&
    (criteria.authenticatorVersion ?? 0) <= presented.authenticatorVersion &&
    verifiesUser(criteria.userVerification, statement?.userVerification) &&
    shareBits(criteria.keyProtection, statement?.keyProtection) &&
    shareBits(criteria.matcherProtection, statement?.matcherProtection) &&
    shareBits(criteria.attachmentHint, statement?.attachmentHint) &&
    shareBits(criteria.tcDisplay, statement?.tcDisplay)
  );
}

const upper = (text: string) => text.toUpperCase();

function shareBits(wantedBits: number | undefined, ownBits: number | undefined): boolean {
  return wantedBits === undefined || (ownBits !== undefined && (wantedBits & ownBits) !== 0);
}

/** All of the methods together if the policy asks for all, else any of them. */
function verifiesUser(wantedBits: number | undefined, ownBits: number | undefined): boolean {
  if (wantedBits === undefined || (wantedBits & USER_VERIFY_ALL) === 0) return shareBits(wantedBits, ownBits);
  return ownBits !== undefined && (ownBits & wantedBits) === wantedBits;
}

export type KeyType = 'DEVICE' | 'BIOMETRIC';

/** A key is called biometric only where the relying party knows that its authenticator measures the body. */
export function keyTypeOf(statement: MetadataStatement | undefined): KeyType {
  return ((statement?.userVerification ?? 0) & BIOMETRIC_METHODS) !== 0 ? 'BIOMETRIC' : 'DEVICE';
}
