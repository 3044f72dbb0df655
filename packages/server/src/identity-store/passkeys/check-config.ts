import { X509Certificate } from 'node:crypto';
import { type FieldFault, invalidInput } from '../../kernel/errors.ts';
import { pointerTo } from '../../kernel/escape.ts';
import { pathNameFault } from '../../kernel/path-name.ts';
import { fitsRelyingParty, isAppOrigin, isLocalOrigin, isLocalRpId, isWebOrigin } from './check-origin.ts';
import { faultOfRpId } from './check-rp-id.ts';
import { type PasskeyConfig, trustOf } from './passkey-policies.ts';

const MAX_POLICY_NAME = 100;

/** Throws if a configuration cannot work; each fault has a pointer and a reason. */
export function checkConfig(config: PasskeyConfig): void {
  const { rpId, restrictedOrigins, relatedOrigins, topOrigins, attestationRoots } = config;
  const rpFault = faultOfRpId(rpId);
  // Checked alone: with a wrong relying party id, every origin would be reported as wrong too.
  if (rpFault) throw invalidInput({ pointer: '/rpId', message: rpFault });
  const faults = [
    ...faultsIn('/restrictedOrigins', restrictedOrigins, (origin) => faultOfOwnOrigin(origin, rpId)),
    ...faultsIn('/relatedOrigins', relatedOrigins, (origin) => faultOfRelatedOrigin(origin, rpId)),
    ...faultsIn('/topOrigins', topOrigins, (origin) => faultOfOtherOrigin(origin, rpId)),
    ...faultsIn('/attestationRoots', attestationRoots, faultOfRoot),
    ...policyFaults(config),
  ];
  if (faults.length > 0) throw invalidInput(...faults);
}

function faultsIn(
  pointer: string,
  values: readonly string[] | undefined,
  faultOf: (value: string) => string | undefined,
): FieldFault[] {
  return (values ?? []).flatMap((value, at) => {
    const message = faultOf(value);
    return message ? [{ pointer: `${pointer}/${at}`, message }] : [];
  });
}

function faultOfOtherOrigin(origin: string, rpId: string): string | undefined {
  if (!isWebOrigin(origin)) return 'must be an origin such as https://login.example.com, without a path';
  const local = isLocalRpId(rpId) && /^http:\/\/([a-z0-9-]+\.)*localhost(:\d+)?$/.test(origin);
  return origin.startsWith('https://') || local ? undefined : 'must begin with https://';
}

function faultOfOwnOrigin(origin: string, rpId: string): string | undefined {
  if (isAppOrigin(origin) || isLocalOrigin(origin, rpId)) return undefined;
  const fault = faultOfOtherOrigin(origin, rpId);
  if (fault) return fault;
  if (fitsRelyingParty(origin, rpId)) return undefined;
  return `must be ${rpId} or a name under it, or passkeys of ${rpId} cannot be used there; see relatedOrigins`;
}

function faultOfRelatedOrigin(origin: string, rpId: string): string | undefined {
  if (fitsRelyingParty(origin, rpId)) return `is of ${rpId} itself and belongs to restrictedOrigins`;
  return faultOfOtherOrigin(origin, rpId);
}

function faultOfRoot(pem: string): string | undefined {
  try {
    // A certificate without a usable public key cannot verify anything.
    return new X509Certificate(pem).publicKey ? undefined : 'must be a certificate in PEM';
  } catch {
    return 'must be a certificate in PEM';
  }
}

function policyFaults({ registrationPolicies, authenticationPolicies, attestationRoots }: PasskeyConfig): FieldFault[] {
  const names = [
    ...Object.keys(registrationPolicies ?? {}).map((name) => nameFault('/registrationPolicies', name)),
    ...Object.keys(authenticationPolicies ?? {}).map((name) => nameFault('/authenticationPolicies', name)),
  ];
  const rules = Object.entries(registrationPolicies ?? {}).flatMap(([name, policy]) => {
    const at = pointerTo('/registrationPolicies', name);
    const { attestation = 'none', authenticatorSelection: { residentKey, requireResidentKey } = {} } = policy;
    const trust = trustOf(policy);
    return [
      attestation === 'none' && trust !== 'none'
        ? { pointer: `${at}/attestation`, message: `must not be none when attestationTrust is ${trust}` }
        : undefined,
      policy.metadata !== undefined && policy.metadata !== 'none' && trust !== 'trusted'
        ? { pointer: `${at}/metadata`, message: `must be none when attestationTrust is ${trust}` }
        : undefined,
      trust === 'trusted' && (attestationRoots ?? []).length === 0 && (policy.metadata ?? 'none') === 'none'
        ? {
            pointer: '/attestationRoots',
            message: `must have a certificate, because the policy ${name} has no other source of trust; or set its metadata`,
          }
        : undefined,
      requireResidentKey !== undefined &&
      residentKey !== undefined &&
      requireResidentKey !== (residentKey === 'required')
        ? { pointer: `${at}/authenticatorSelection/requireResidentKey`, message: 'must agree with residentKey' }
        : undefined,
      new Set(policy.algorithms).size < (policy.algorithms?.length ?? 0)
        ? { pointer: `${at}/algorithms`, message: 'must name each algorithm once' }
        : undefined,
    ];
  });
  return [...names, ...rules].filter((fault) => fault !== undefined);
}

function nameFault(pointer: string, name: string): FieldFault | undefined {
  const policyPointer = pointerTo(pointer, name);
  if (name !== '' && [...name].length <= MAX_POLICY_NAME) return pathNameFault(policyPointer, name);
  return { pointer: policyPointer, message: `must have a name of 1 to ${MAX_POLICY_NAME} characters` };
}
