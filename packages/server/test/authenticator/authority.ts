import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { bits, bool, der, integer, octets, oid, sequence, set, tagged, time, utf8 } from './write-der.ts';

/** A maker of authenticators: a root certificate and the certificates that it signs, new for every test. */
export type Authority = {
  /** The root in PEM, as a relying party configures it. */
  root: string;
  rootDer: Buffer;
  issue(certificate: NewCertificate): Buffer;
};

export type NewCertificate = {
  key: KeyObject;
  subject?: Readonly<Record<string, string>>;
  /** The value of each extension, by its object identifier. */
  extensions?: Readonly<Record<string, { value: Buffer; critical?: boolean }>>;
  ca?: boolean;
  /** The number of authorities that may be below this one. */
  pathLength?: number;
  version?: number;
  notBefore?: number;
  notAfter?: number;
};

const DAY = 24 * 3600 * 1000;
const ECDSA_SHA256 = '1.2.840.10045.4.3.2';
const BASIC_CONSTRAINTS = '2.5.29.19';
const ROOT = { '2.5.4.6': 'SE', '2.5.4.10': 'Test makers', '2.5.4.3': 'Test root' };

export function authority(now = Date.now()): Authority {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const make = (certificate: NewCertificate) => writeCertificate(certificate, privateKey, now);
  const rootDer = make({ key: publicKey, subject: ROOT, ca: true });
  return { rootDer, root: toPem(rootDer), issue: make };
}

/** An intermediate authority that the root has signed. */
export function intermediate(
  root: Authority,
  { name = 'Test intermediate', pathLength }: { name?: string; pathLength?: number } = {},
): { certificate: Buffer; issue: Authority['issue'] } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = { '2.5.4.3': name };
  return {
    certificate: root.issue({ key: publicKey, subject, ca: true, ...(pathLength !== undefined && { pathLength }) }),
    issue: (certificate) => writeCertificate(certificate, privateKey, Date.now(), subject),
  };
}

export function toPem(certificate: Buffer): string {
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function writeCertificate(input: NewCertificate, signer: KeyObject, now: number, issuer: object = ROOT): Buffer {
  const { key, subject = {}, extensions = {}, ca = false, version = 3 } = input;
  const { notBefore = now - 30 * DAY, notAfter = now + 365 * DAY } = input;
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const length = input.pathLength === undefined ? [] : [integer(input.pathLength)];
  const constraints = { value: sequence(...(ca ? [bool(true), ...length] : [])), critical: true };
  const encodedExtensions = Object.entries({ [BASIC_CONSTRAINTS]: constraints, ...extensions }).map(
    ([id, { value, critical }]) => sequence(oid(id), ...(critical ? [bool(true)] : []), octets(value)),
  );
  const body = sequence(
    ...(version > 1 ? [tagged(0, integer(version - 1))] : []),
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    sequence(oid(ECDSA_SHA256)),
    writeName(issuer as Record<string, string>),
    sequence(time(notBefore), time(notAfter)),
    writeName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(version > 1 ? [tagged(3, sequence(...encodedExtensions))] : []),
  );
  return sequence(body, sequence(oid(ECDSA_SHA256)), bits(sign('sha256', body, signer)));
}

export function writeName(name: Readonly<Record<string, string>>): Buffer {
  return sequence(...Object.entries(name).map(([type, value]) => set(sequence(oid(type), utf8(value)))));
}
