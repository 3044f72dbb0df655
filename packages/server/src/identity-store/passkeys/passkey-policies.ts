import type { api, Ok } from '@grove/contract';
import { ApiError } from '../../kernel/errors.ts';
import { type Alg, OFFERED } from './algorithms.ts';
import type { AttestationTrust } from './attestation/assess-attestation.ts';
import type { Places } from './check-origin.ts';

/** The configuration of a relying party, with all defaults filled in. Pure. */
export type PasskeyConfig = Ok<typeof api.passkeys.createConfig>;
export type UserVerification = 'required' | 'preferred' | 'discouraged';

type Policies<K extends 'registrationPolicies' | 'authenticationPolicies'> = NonNullable<PasskeyConfig[K]>[string];
type GivenRegistration = Policies<'registrationPolicies'>;
type GivenAuthentication = Policies<'authenticationPolicies'>;

export type RegistrationPolicy = {
  attestation: 'none' | 'indirect' | 'direct' | 'enterprise';
  attestationTrust: AttestationTrust;
  allowedAaguids: readonly string[];
  deniedAaguids: readonly string[];
  metadata: 'none' | 'used' | 'required';
  sha1InTpm: boolean;
  backup: 'any' | 'required' | 'forbidden';
  conditionalCreateAllowed: boolean;
  hints: readonly Hint[];
  attestationFormats: readonly string[];
  extensions: { credProps: boolean; prf: boolean };
  algorithms: readonly Alg[];
  authenticatorSelection: {
    authenticatorAttachment?: 'platform' | 'cross-platform';
    residentKey: 'required' | 'preferred' | 'discouraged';
    requireResidentKey: boolean;
    userVerification: UserVerification;
  };
  externalChallengeAllowed: boolean;
  userNameRequired: boolean;
  displayNameRequired: boolean;
  maxPasskeysPerUser: number;
};

export type Hint = 'security-key' | 'client-device' | 'hybrid';

export type AuthenticationPolicy = {
  userVerification: UserVerification;
  externalChallengeAllowed: boolean;
  hints: readonly Hint[];
};

/** The limit for all relying parties together. The summary of a user shows that many. */
export const MAX_PASSKEYS_PER_USER = 100;
const USUAL_PASSKEYS_PER_USER = 20;

/** This policy exists even if it is not configured, so that a relying party needs only its id. */
export const DEFAULT_POLICY = 'default';

export function placesOf(config: PasskeyConfig): Places {
  const { rpId, restrictedOrigins, relatedOrigins, topOrigins, unnamedTopOriginAllowed = false } = config;
  return {
    rpId,
    unnamedTopOriginAllowed,
    restrictedOrigins: restrictedOrigins ?? [],
    relatedOrigins: relatedOrigins ?? [],
    topOrigins: topOrigins ?? [],
  };
}

/** Returns the policy of that name, or throws 100030. */
export function registrationPolicyOf(config: PasskeyConfig, name: string): RegistrationPolicy {
  const stored = getPolicy<GivenRegistration>(config.registrationPolicies, name);
  const { attestation = 'none', authenticatorSelection: selection = {} } = stored;
  const { residentKey = selection.requireResidentKey ? 'required' : 'preferred' } = selection;
  return {
    attestation,
    attestationTrust: trustOf(stored),
    allowedAaguids: stored.allowedAaguids ?? [],
    deniedAaguids: stored.deniedAaguids ?? [],
    metadata: stored.metadata ?? 'none',
    sha1InTpm: stored.sha1InTpm ?? false,
    backup: stored.backup ?? 'any',
    conditionalCreateAllowed: stored.conditionalCreateAllowed ?? false,
    hints: stored.hints ?? [],
    attestationFormats: stored.attestationFormats ?? [],
    extensions: { credProps: stored.extensions?.credProps ?? false, prf: stored.extensions?.prf ?? false },
    algorithms: stored.algorithms ?? OFFERED,
    authenticatorSelection: {
      ...(selection.authenticatorAttachment && { authenticatorAttachment: selection.authenticatorAttachment }),
      residentKey,
      // WebAuthn Level 1 has only this member.
      requireResidentKey: residentKey === 'required',
      userVerification: selection.userVerification ?? 'preferred',
    },
    externalChallengeAllowed: stored.externalChallengeAllowed ?? false,
    userNameRequired: stored.userNameRequired ?? false,
    displayNameRequired: stored.displayNameRequired ?? false,
    maxPasskeysPerUser: stored.maxPasskeysPerUser ?? USUAL_PASSKEYS_PER_USER,
  };
}

/** A policy that requests an attestation requires a trusted one, unless it says otherwise. */
export function trustOf({ attestation = 'none', attestationTrust }: GivenRegistration): AttestationTrust {
  return attestationTrust ?? (attestation === 'none' ? 'none' : 'trusted');
}

/** Returns the policy of that name, or throws 100030. */
export function authenticationPolicyOf(config: PasskeyConfig, name: string): AuthenticationPolicy {
  const stored = getPolicy<GivenAuthentication>(config.authenticationPolicies, name);
  return {
    userVerification: stored.userVerification ?? 'preferred',
    externalChallengeAllowed: stored.externalChallengeAllowed ?? false,
    hints: stored.hints ?? [],
  };
}

function getPolicy<P extends object>(policies: Readonly<Record<string, P>> | undefined, name: string): P {
  if (policies && Object.hasOwn(policies, name)) return policies[name] as P;
  if (name === DEFAULT_POLICY) return {} as P;
  throw new ApiError(100030);
}
