import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** Certificates for attestations: as little X.509 as a chain needs, so that every fault of one can be created. */
export type Certified = { certificate: Buffer; key: KeyObject };

export type CertificateOptions = {
  name: string;
  /** Without it, the certificate is self-signed. */
  issuer?: Certified & { name: string };
  ca?: boolean;
  from?: Date;
  to?: Date;
  /** The model that the certificate names. */
  aaid?: string;
  /** The key of another certificate, under this name. */
  key?: KeyObject;
};

const DAY = 24 * 3600_000;

export function certificate(options: CertificateOptions): Certified & { name: string } {
  const { name, issuer, ca = false, aaid } = options;
  const { from = new Date(Date.now() - DAY), to = new Date(Date.now() + 3650 * DAY) } = options;
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = sequence(
    explicit(0, integer(Buffer.of(2))),
    integer(
      Buffer.from(crypto.getRandomValues(new Uint8Array(8)).map((byte, at) => (at === 0 ? byte & 0x7f : byte) | 1)),
    ),
    ECDSA_WITH_SHA256,
    nameOf(issuer?.name ?? name),
    sequence(time(from), time(to)),
    nameOf(name),
    pair.publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(basicConstraints(ca), ...(aaid ? [aaidExtension(aaid)] : []))),
  );
  const signature = sign('sha256', body, issuer?.key ?? pair.privateKey);
  const bits = element(0x03, Buffer.concat([Buffer.of(0), signature]));
  return { name, certificate: sequence(body, ECDSA_WITH_SHA256, bits), key: pair.privateKey };
}

function element(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  const { length } = value;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(tag, ...head), value]);
}

const sequence = (...parts: Buffer[]) => element(0x30, ...parts);
const explicit = (number: number, inner: Buffer) => element(0xa0 + number, inner);
const integer = (bytes: Buffer) => element(0x02, bytes);
const objectId = (hex: string) => element(0x06, Buffer.from(hex, 'hex'));
const ECDSA_WITH_SHA256 = sequence(objectId('2a8648ce3d040302'));

function nameOf(name: string): Buffer {
  return sequence(element(0x31, sequence(objectId('550403'), element(0x0c, Buffer.from(name)))));
}

function time(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return element(0x18, Buffer.from(digits));
}

function basicConstraints(ca: boolean): Buffer {
  const yes = element(0x01, Buffer.of(0xff));
  return sequence(objectId('551d13'), yes, element(0x04, sequence(...(ca ? [yes] : []))));
}

/** id-fido-gen-ce-aaid. */
function aaidExtension(aaid: string): Buffer {
  return sequence(objectId('2b0601040182e51c010101'), element(0x04, element(0x04, Buffer.from(aaid))));
}
