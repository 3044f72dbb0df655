import { constants, hash, type KeyObject, verify, X509Certificate } from 'node:crypto';
import { isObject } from '../../../kernel/is-object.ts';
import { isIssuedBy } from '../attestation/check-chain.ts';
import { findTrust } from '../attestation/find-trust.ts';
import { type Certificate, readCertificate } from '../attestation/read-certificate.ts';
import { expect, readDer, SEQUENCE, valuesIn } from '../attestation/read-der.ts';
import { Malformed } from '../malformed.ts';
import type { Model, StatusReport } from './judge-model.ts';

/** FIDO's metadata (MDS3): a signed list of models of authenticators. */
export type Blob = {
  /** The number of the edition; it grows with every edition. */
  readonly no: number;
  /** When the next edition is due, in epoch milliseconds. */
  readonly nextUpdate: number;
  readonly models: ReadonlyMap<string, Model>;
};

export type BlobTrust = {
  readonly roots: readonly X509Certificate[];
  /** The host name in the signing certificate. Undefined accepts any, for a root that the operator configured. */
  readonly hostName: string | undefined;
  readonly now: number;
};

export const MAX_BLOB_BYTES = 32 * 1024 * 1024;
/** The header is read before anything is trusted: it holds the chain of certificates, a few kilobytes each. */
const MAX_HEADER_CHARACTERS = 200_000;
const MAX_ENTRIES = 20_000;
const MAX_CERTIFICATES = 10;
const MAX_ROOTS = 100;
const MAX_REPORTS = 200;

/** Verifies and reads a BLOB: its signature must be valid and lead to a trusted root. Throws `Malformed` otherwise. */
export function readBlob(text: string, trust: BlobTrust): Blob {
  if (text.length > MAX_BLOB_BYTES) throw new Malformed('the BLOB is too large');
  const parts = text.trim().split('.', 4);
  const [header = '', payload = '', signature = ''] = parts;
  if (parts.length !== 3) throw new Malformed('the BLOB is not a signed token');
  if (header.length > MAX_HEADER_CHARACTERS) throw new Malformed('the header of the BLOB is too large');
  const { alg, x5c } = objectOf(jsonOf(header, 'the header'), 'the header');
  const leaf = trustedLeaf(x5c, trust);
  const signed = Buffer.from(`${header}.${payload}`, 'latin1');
  if (!isSigned(alg, signed, leaf.key, Buffer.from(signature, 'base64url'))) {
    throw new Malformed('the signature of the BLOB is wrong');
  }
  return readPayload(objectOf(jsonOf(payload, 'the payload'), 'the payload'));
}

function trustedLeaf(x5c: unknown, { roots, hostName, now }: BlobTrust): Certificate {
  if (!Array.isArray(x5c) || x5c.length === 0 || x5c.length > MAX_CERTIFICATES) {
    throw new Malformed('the BLOB has no chain of certificates');
  }
  const path = x5c.map((each) => readCertificate(Buffer.from(String(each), 'base64')));
  const linked = path.every(({ x509 }, at) => {
    const next = path[at + 1];
    return !next || isIssuedBy(x509, next.x509);
  });
  if (!linked || !findTrust(path, roots, now)) throw new Malformed('the BLOB has no trusted signature');
  const [leaf] = path as [Certificate];
  if (hostName !== undefined && !leaf.x509.checkHost(hostName)) {
    throw new Malformed(`the certificate of the BLOB is not that of ${hostName}`);
  }
  return leaf;
}

function isSigned(alg: unknown, data: Buffer, key: KeyObject, signature: Buffer): boolean {
  const { asymmetricKeyType: type, asymmetricKeyDetails: { namedCurve, modulusLength = 0 } = {} } = key;
  const strong = type === 'rsa' && modulusLength >= 2048;
  if (alg === 'ES256' && type === 'ec' && namedCurve === 'prime256v1') {
    return verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature);
  }
  if (alg === 'RS256' && strong) return verify('sha256', data, key, signature);
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  if (alg === 'PS256' && strong) return verify('sha256', data, { key, padding, saltLength: 32 }, signature);
  throw new Malformed('the BLOB is signed with an algorithm that is not supported');
}

function readPayload({ no, nextUpdate, entries }: Record<string, unknown>): Blob {
  const due = typeof nextUpdate === 'string' ? Date.parse(nextUpdate) : Number.NaN;
  if (!Number.isSafeInteger(no) || Number.isNaN(due)) throw new Malformed('the BLOB has no number or no date');
  if (!Array.isArray(entries) || entries.length > MAX_ENTRIES) throw new Malformed('the BLOB has no list of entries');
  const models = new Map<string, Model>();
  for (const entry of entries) {
    const each = objectOf(entry, 'an entry');
    const model = readModel(each);
    for (const name of namesOf(each)) models.set(name, model);
  }
  return { no: no as number, nextUpdate: due, models };
}

/** An entry names an AAGUID, or certificates by the hash of their key. UAF entries have an AAID and are skipped. */
function namesOf({ aaguid, attestationCertificateKeyIdentifiers: keys }: Record<string, unknown>): string[] {
  if (typeof aaguid === 'string') return [nameOfModel(Buffer.from(aaguid.replaceAll('-', ''), 'hex'))];
  return Array.isArray(keys) ? keys.map((key) => `key:${String(key).toLowerCase()}`) : [];
}

export function nameOfModel(aaguid: Buffer): string {
  return `model:${aaguid.toString('hex')}`;
}

/** RFC 5280, 4.2.1.2, method 1: the SHA-1 of the public key bits. It is only a lookup name; no trust depends on it. */
export function nameOfKey({ key }: Certificate): string {
  const [, bits] = valuesIn(expect(readDer(key.export({ type: 'spki', format: 'der' })), SEQUENCE));
  return `key:${hash('sha1', (bits?.contents ?? Buffer.alloc(1)).subarray(1))}`;
}

function readModel({ metadataStatement, statusReports }: Record<string, unknown>): Model {
  const { description, attestationRootCertificates: roots } = (metadataStatement ?? {}) as Record<string, unknown>;
  const texts = Array.isArray(roots) ? roots.slice(0, MAX_ROOTS).map(String) : [];
  return {
    description: String(description ?? ''),
    reports: Array.isArray(statusReports) ? statusReports.slice(0, MAX_REPORTS).map(readReport) : [],
    // Parsed on demand: a few hundred models have about a thousand certificates.
    roots: () => texts.flatMap(readRoot),
  };
}

function readRoot(base64: string): X509Certificate[] {
  try {
    const root = new X509Certificate(Buffer.from(base64, 'base64'));
    return root.publicKey ? [root] : [];
  } catch {
    return [];
  }
}

function readReport(report: unknown): StatusReport {
  const { status, certificate } = objectOf(report, 'a status report');
  return {
    status: String(status),
    ...(typeof certificate === 'string' && { certificate: Buffer.from(certificate, 'base64') }),
  };
}

function jsonOf(part: string, what: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    throw new Malformed(`${what} of the BLOB is not JSON`);
  }
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (!isObject(value)) throw new Malformed(`${what} is not an object`);
  return value;
}
