import type { X509Certificate } from 'node:crypto';
import { ensure } from '../ensure.ts';
import { Malformed } from '../malformed.ts';
import { ensureSoundModel, type FindModel } from '../metadata/judge-model.ts';
import type { CborMap, CborValue } from '../read-cbor.ts';
import { ensureChain } from './check-chain.ts';
import { findTrust } from './find-trust.ts';
import type { Allowed, Attestation, TrustPath } from './statement.ts';
import { verifyAndroidKey } from './verify-android-key.ts';
import { verifyApple } from './verify-apple.ts';
import { verifyFidoU2f } from './verify-fido-u2f.ts';
import { verifyPacked } from './verify-packed.ts';
import { verifyTpm } from './verify-tpm.ts';

/** How much is known of an authenticator: nothing, what it says itself, or what a trusted maker says of it. */
export type AttestationTrust = 'none' | 'self' | 'trusted';

export type AttestationPolicy = Partial<Allowed> & {
  /** The least that is taken. */
  readonly trust: AttestationTrust;
  readonly roots: readonly X509Certificate[];
  /** The only models taken, where any is given. */
  readonly aaguids: readonly string[];
  /** Models that are not taken. */
  readonly deniedAaguids?: readonly string[];
  /** What FIDO says of models. */
  readonly metadata?: { readonly required: boolean; readonly find: FindModel } | undefined;
};

/** What was attested, with the statement as it came: a map, or the list of a compound one. */
export type Evidence = Omit<Attestation, 'statement'> & { readonly statement: CborValue };

const FORMATS: Readonly<Record<string, (attestation: Attestation, allowed: Allowed) => TrustPath>> = {
  packed: verifyPacked,
  tpm: verifyTpm,
  'android-key': verifyAndroidKey,
  apple: verifyApple,
  'fido-u2f': verifyFidoU2f,
};

const COMPOUND = 'compound';
const MAX_STATEMENTS = 8;

/**
 * WebAuthn 7.1 steps 21 to 24. Where the policy asks for nothing, a statement is not looked at: nobody should be turned
 * away for something that was not asked. But what says that it is none must be none (8.7).
 */
export function assessAttestation(presented: Evidence, policy: AttestationPolicy, now: number): AttestationTrust {
  const { format, statement, attested } = presented;
  const empty = statement instanceof Map && statement.size === 0;
  ensure(format !== 'none' || empty, 100093, 'the format is none, but there is a statement');
  ensureModelTaken(attested.aaguid, policy);
  const trust = policy.trust === 'none' ? 'none' : reading(() => assess(presented, policy, now));
  ensure(trust !== 'none' || policy.trust === 'none', 100093, 'an attestation is required');
  ensure(trust === 'trusted' || policy.trust !== 'trusted', 100093, 'it does not lead to a trusted root');
  return trust;
}

function ensureModelTaken(aaguid: Buffer, { aaguids, deniedAaguids = [] }: AttestationPolicy): void {
  const model = aaguid.toString('hex');
  const isIn = (list: readonly string[]) => list.some((each) => each.replaceAll('-', '').toLowerCase() === model);
  ensure(aaguids.length === 0 || isIn(aaguids), 100093, 'the model of authenticator is not on the list');
  ensure(!isIn(deniedAaguids), 100093, 'the model of authenticator is on the list of those that are denied');
}

function assess(presented: Evidence, policy: AttestationPolicy, now: number): AttestationTrust {
  const { format, statement } = presented;
  if (format === 'none') return 'none';
  const parts = format === COMPOUND ? partsOf(statement) : [{ format, statement: mapOf(statement) }];
  // Every part must hold; one that a trusted maker stands behind is enough.
  const trusts = parts.map((part) => assessOne({ ...presented, ...part }, policy, now));
  return trusts.includes('trusted') ? 'trusted' : 'self';
}

function assessOne(attestation: Attestation, policy: AttestationPolicy, now: number): AttestationTrust {
  const { format } = attestation;
  // Google has shut the service down, so nobody can make a new one.
  ensure(format !== 'android-safetynet', 100093, 'the format android-safetynet is no longer accepted');
  const verify = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  ensure(verify, 100093, 'the format of the statement is unknown');
  const path = verify(attestation, { sha1InTpm: policy.sha1InTpm ?? false });
  ensureChain(path, { rootMayClose: format === 'android-key' });
  const roots = [...policy.roots, ...rootsOfModel(attestation, path, policy)];
  return path.length > 0 && findTrust(path, roots, now) ? 'trusted' : 'self';
}

/** The roots of the maker, as FIDO publishes them; none where the policy does not ask, or FIDO does not know. */
function rootsOfModel({ attested }: Attestation, path: TrustPath, { metadata }: AttestationPolicy): X509Certificate[] {
  if (!metadata) return [];
  const model = metadata.find(attested.aaguid, path[0]);
  ensure(model || !metadata.required, 100093, 'FIDO has no metadata of the model, or the server has none of FIDO');
  if (!model) return [];
  ensureSoundModel(model, path);
  return model.roots();
}

type Part = { format: string; statement: CborMap };

/** WebAuthn 8.9: two statements or more, of any format but this one. */
function partsOf(statement: CborValue): Part[] {
  ensure(Array.isArray(statement) && statement.length >= 2, 100093, 'a compound statement has fewer than two parts');
  ensure(statement.length <= MAX_STATEMENTS, 100093, 'a compound statement has too many parts');
  return statement.map((part) => {
    const members = mapOf(part);
    const format = members.get('fmt');
    ensure(members.size === 2 && typeof format === 'string', 100093, 'a part of a compound statement is none');
    ensure(format !== COMPOUND && format !== 'none', 100093, `a part of a compound statement is ${format}`);
    return { format, statement: mapOf(members.get('attStmt')) };
  });
}

function mapOf(value: CborValue | undefined): CborMap {
  ensure(value instanceof Map, 100093, 'the statement is not a map');
  return value;
}

/** A statement that cannot be read attests nothing. */
function reading<T>(readStatement: () => T): T {
  try {
    return readStatement();
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    ensure(false, 100093, error.message);
  }
}
