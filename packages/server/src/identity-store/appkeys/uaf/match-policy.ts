import type { api, Body } from '@grove/contract';
import { BIOMETRIC_METHODS, USER_VERIFY_ALL } from './registry.ts';

export type AppkeyConfig = Body<typeof api.appkeys.createConfig>;

/** A FIDO UAF policy. `disallowed` overrules `accepted`. */
export type UafPolicy = NonNullable<AppkeyConfig['registrationPolicies']>[string];
export type MatchCriteria = UafPolicy['accepted'][number][number];

/** The properties of an authenticator model, as the relying party states them: a part of FIDO's metadata statement. */
export type MetadataStatement = NonNullable<AppkeyConfig['metadataStatements']>[number];

/** The authenticator that made an assertion. */
export type PresentedKey = {
  aaid: string;
  keyId: string;
  authenticatorVersion: number;
  signAlgorithm: number;
  /** Known only at registration. */
  attestationType?: number | undefined;
};

/**
 * Whether the policy accepts the authenticator. Properties that the assertion does not contain come from the metadata
 * statement. Without a statement, a criterion on such a property is not met.
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
  // The attestation type is known only at registration, so only a registration checks it.
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

/** With USER_VERIFY_ALL the authenticator must support all wanted methods, otherwise at least one of them. */
function verifiesUser(wantedBits: number | undefined, ownBits: number | undefined): boolean {
  if (wantedBits === undefined || (wantedBits & USER_VERIFY_ALL) === 0) return shareBits(wantedBits, ownBits);
  return ownBits !== undefined && (ownBits & wantedBits) === wantedBits;
}

export type KeyType = 'DEVICE' | 'BIOMETRIC';

/** A key is BIOMETRIC only if the metadata statement says that its authenticator uses a biometric method. */
export function keyTypeOf(statement: MetadataStatement | undefined): KeyType {
  return ((statement?.userVerification ?? 0) & BIOMETRIC_METHODS) !== 0 ? 'BIOMETRIC' : 'DEVICE';
}
