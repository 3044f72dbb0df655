import type { X509Certificate } from 'node:crypto';
import { ensure } from '../ensure.ts';
import { Malformed } from '../malformed.ts';
import { ensureSoundModel, type FindModel } from '../metadata/judge-model.ts';
import type { CborMap, CborValue } from '../read-cbor.ts';
import { ensureChain } from './check-chain.ts';
import { findTrust } from './find-trust.ts';
import type { Attestation, TrustPath, WeakOptions } from './statement.ts';
import { verifyAndroidKey } from './verify-android-key.ts';
import { verifyApple } from './verify-apple.ts';
import { verifyFidoU2f } from './verify-fido-u2f.ts';
import { verifyPacked } from './verify-packed.ts';
import { verifyTpm } from './verify-tpm.ts';

/**
 * none: nothing is proven. self: the credential signed for itself. trusted: a trusted maker signed for the
 * authenticator.
 */
export type AttestationTrust = 'none' | 'self' | 'trusted';

export type AttestationPolicy = Partial<WeakOptions> & {
  /** The lowest accepted trust. */
  readonly trust: AttestationTrust;
  readonly roots: readonly X509Certificate[];
  /** If not empty, only these models are accepted. */
  readonly aaguids: readonly string[];
  /** Models that are refused. */
  readonly deniedAaguids?: readonly string[];
  /** FIDO's metadata about models. */
  readonly metadata?: { readonly required: boolean; readonly find: FindModel } | undefined;
};

/** The attestation as it was sent: the statement is a map, or a list if it is compound. */
export type Evidence = Omit<Attestation, 'statement'> & { readonly statement: CborValue };

const FORMATS: Readonly<Record<string, (attestation: Attestation, allowed: WeakOptions) => TrustPath>> = {
  packed: verifyPacked,
  tpm: verifyTpm,
  'android-key': verifyAndroidKey,
  apple: verifyApple,
  'fido-u2f': verifyFidoU2f,
};

const COMPOUND = 'compound';
const MAX_STATEMENTS = 8;

/**
 * WebAuthn 7.1 steps 21 to 24. If the policy requires no attestation, the statement is not verified: nobody is refused
 * for something that the policy does not require. But the format `none` must have an empty statement (8.7).
 */
export function assessAttestation(presented: Evidence, policy: AttestationPolicy, now: number): AttestationTrust {
  const { format, statement, attested } = presented;
  const empty = statement instanceof Map && statement.size === 0;
  ensure(format !== 'none' || empty, 100093, 'the format is none, but there is a statement');
  ensureModelTaken(attested.aaguid, policy);
  const trust = policy.trust === 'none' ? 'none' : refusingUnreadable(() => assess(presented, policy, now));
  ensure(trust !== 'none' || policy.trust === 'none', 100093, 'an attestation is required');
  ensure(trust === 'trusted' || policy.trust !== 'trusted', 100093, 'the attestation does not lead to a trusted root');
  return trust;
}

function ensureModelTaken(aaguid: Buffer, { aaguids, deniedAaguids = [] }: AttestationPolicy): void {
  const model = aaguid.toString('hex');
  const isIn = (list: readonly string[]) => list.some((each) => each.replaceAll('-', '').toLowerCase() === model);
  ensure(aaguids.length === 0 || isIn(aaguids), 100093, 'the model of the authenticator is not on the allowed list');
  ensure(!isIn(deniedAaguids), 100093, 'the model of the authenticator is on the denied list');
}

function assess(presented: Evidence, policy: AttestationPolicy, now: number): AttestationTrust {
  const { format, statement } = presented;
  if (format === 'none') return 'none';
  const parts = format === COMPOUND ? partsOf(statement) : [{ format, statement: mapOf(statement) }];
  // Every part must be valid. One part of a trusted maker is enough for `trusted`.
  const trusts = parts.map((part) => assessOne({ ...presented, ...part }, policy, now));
  return trusts.includes('trusted') ? 'trusted' : 'self';
}

function assessOne(attestation: Attestation, policy: AttestationPolicy, now: number): AttestationTrust {
  const { format } = attestation;
  // Google has shut the SafetyNet service down, so no new statement can exist.
  ensure(format !== 'android-safetynet', 100093, 'the format android-safetynet is no longer accepted');
  const verify = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  ensure(verify, 100093, 'the format of the statement is unknown');
  const path = verify(attestation, { sha1InTpm: policy.sha1InTpm ?? false });
  ensureChain(path, { rootMayClose: format === 'android-key' });
  const roots = [...policy.roots, ...rootsOfModel(attestation, path, policy)];
  return path.length > 0 && findTrust(path, roots, now) ? 'trusted' : 'self';
}

/**
 * Returns the roots of the maker, as FIDO publishes them. Empty if the policy does not use metadata or FIDO does not
 * know the model.
 */
function rootsOfModel({ attested }: Attestation, path: TrustPath, { metadata }: AttestationPolicy): X509Certificate[] {
  if (!metadata) return [];
  const model = metadata.find(attested.aaguid, path[0]);
  ensure(
    model || !metadata.required,
    100093,
    'there is no metadata of the model: FIDO does not list it, or the server has loaded none',
  );
  if (!model) return [];
  ensureSoundModel(model, path);
  return model.roots();
}

type Part = { format: string; statement: CborMap };

/** WebAuthn 8.9: at least two statements, none of them compound. */
function partsOf(statement: CborValue): Part[] {
  ensure(Array.isArray(statement) && statement.length >= 2, 100093, 'a compound statement has fewer than two parts');
  ensure(statement.length <= MAX_STATEMENTS, 100093, 'a compound statement has too many parts');
  return statement.map((part) => {
    const members = mapOf(part);
    const format = members.get('fmt');
    ensure(members.size === 2 && typeof format === 'string', 100093, 'a part of a compound statement is malformed');
    ensure(format !== COMPOUND && format !== 'none', 100093, `a part of a compound statement is ${format}`);
    return { format, statement: mapOf(members.get('attStmt')) };
  });
}

function mapOf(value: CborValue | undefined): CborMap {
  ensure(value instanceof Map, 100093, 'the statement is not a map');
  return value;
}

/** Refuses a statement that cannot be read: it attests nothing. */
function refusingUnreadable<T>(readStatement: () => T): T {
  try {
    return readStatement();
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    ensure(false, 100093, error.message);
  }
}
