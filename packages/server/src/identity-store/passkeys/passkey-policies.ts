import type { api, Ok } from '@grove/contract';
import { ApiError } from '../../kernel/errors.ts';
import { OFFERED } from './algorithms.ts';
import type { AttestationTrust } from './attestation/assess-attestation.ts';
import type { Places } from './check-origin.ts';

/** The configuration of a relying party, with all defaults filled in. Pure. */
export type PasskeyConfig = Ok<typeof api.passkeys.createConfig>;
export type UserVerification = 'required' | 'preferred' | 'discouraged';

type Policies<K extends 'registrationPolicies' | 'authenticationPolicies'> = NonNullable<PasskeyConfig[K]>[string];
type GivenRegistration = Policies<'registrationPolicies'>;
type GivenAuthentication = Policies<'authenticationPolicies'>;

type Selection = NonNullable<GivenRegistration['authenticatorSelection']>;

export type RegistrationPolicy = Required<Omit<GivenRegistration, 'extensions' | 'authenticatorSelection'>> & {
  readonly extensions: Required<NonNullable<GivenRegistration['extensions']>>;
  readonly authenticatorSelection: Required<Omit<Selection, 'authenticatorAttachment'>> & Selection;
};

export type AuthenticationPolicy = Required<GivenAuthentication>;

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

const REGISTRATION_DEFAULTS = {
  attestation: 'none',
  allowedAaguids: [],
  deniedAaguids: [],
  metadata: 'none',
  sha1InTpm: false,
  backup: 'any',
  conditionalCreateAllowed: false,
  hints: [],
  attestationFormats: [],
  algorithms: [...OFFERED],
  externalChallengeAllowed: false,
  userNameRequired: false,
  displayNameRequired: false,
  maxPasskeysPerUser: USUAL_PASSKEYS_PER_USER,
} satisfies Partial<RegistrationPolicy>;
const AUTHENTICATION_DEFAULTS: AuthenticationPolicy = {
  userVerification: 'preferred',
  externalChallengeAllowed: false,
  hints: [],
};

/** Returns the policy of that name, or throws 100030. */
export function registrationPolicyOf(config: PasskeyConfig, name: string): RegistrationPolicy {
  const stored = getPolicy<GivenRegistration>(config.registrationPolicies, name);
  const { authenticatorSelection: selection = {} } = stored;
  const { residentKey = selection.requireResidentKey ? 'required' : 'preferred' } = selection;
  return {
    ...REGISTRATION_DEFAULTS,
    ...stored,
    attestationTrust: trustOf(stored),
    extensions: { credProps: false, prf: false, ...stored.extensions },
    authenticatorSelection: {
      userVerification: 'preferred',
      ...selection,
      residentKey,
      // WebAuthn Level 1 has only this member.
      requireResidentKey: residentKey === 'required',
    },
  };
}

/** A policy that requests an attestation requires a trusted one, unless it says otherwise. */
export function trustOf({ attestation = 'none', attestationTrust }: GivenRegistration): AttestationTrust {
  return attestationTrust ?? (attestation === 'none' ? 'none' : 'trusted');
}

/** Returns the policy of that name, or throws 100030. */
export function authenticationPolicyOf(config: PasskeyConfig, name: string): AuthenticationPolicy {
  return { ...AUTHENTICATION_DEFAULTS, ...getPolicy<GivenAuthentication>(config.authenticationPolicies, name) };
}

function getPolicy<P extends object>(policies: Readonly<Record<string, P>> | undefined, name: string): P {
  if (policies && Object.hasOwn(policies, name)) return policies[name] as P;
  if (name === DEFAULT_POLICY) return {} as P;
  throw new ApiError(100030);
}
