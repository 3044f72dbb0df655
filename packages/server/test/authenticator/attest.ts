import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { rsaKeys } from '../rsa-keys.ts';
import { type Authority, type NewCertificate, writeName } from './authority.ts';
import { type Alg, signWith } from './sign-with.ts';
import type { Cbor } from './write-cbor.ts';
import { enumerated, integer, octets, oid, sequence, set, tagged } from './write-der.ts';

/** The attestation statements of every format, with certificates made for the test. */
export type AttestationFormat =
  | 'none'
  | 'packed'
  | 'tpm'
  | 'android-key'
  | 'apple'
  | 'fido-u2f'
  | 'android-safetynet'
  | 'compound';

export type Attested = {
  authData: Buffer;
  clientDataHash: Buffer;
  rpIdHash: Buffer;
  credentialId: Buffer;
  aaguid: Buffer;
  alg: Alg;
  publicKey: KeyObject;
  privateKey: KeyObject;
};

export type Attests = (attested: Attested) => Map<string, Cbor> | readonly Cbor[];

/** The faults of a statement or its certificate that a test wants. */
export type StatementFaults = {
  certificate?: Partial<NewCertificate>;
  /** Certificates that follow the first one. */
  chain?: readonly Buffer[];
  issue?: Authority['issue'];
  statement?: (statement: Map<string, Cbor>) => Map<string, Cbor>;
};

const MAKER = { '2.5.4.6': 'SE', '2.5.4.10': 'Maker', '2.5.4.11': 'Authenticator Attestation', '2.5.4.3': 'Model 1' };
export const FIDO_AAGUID = '1.3.6.1.4.1.45724.1.1.4';
const APPLE_NONCE = '1.2.840.113635.100.8.2';
const ANDROID_KEY = '1.3.6.1.4.1.11129.2.1.17';

const sha1 = (...data: Uint8Array[]) => createHash('sha1').update(Buffer.concat(data)).digest();
const sha256 = (...data: Uint8Array[]) => createHash('sha256').update(Buffer.concat(data)).digest();
const whole = (faults: StatementFaults, statement: Map<string, Cbor>) => faults.statement?.(statement) ?? statement;

function issued(from: Authority, certificate: NewCertificate, faults: StatementFaults): Cbor[] {
  const issue = faults.issue ?? from.issue;
  return [issue({ ...certificate, ...faults.certificate }), ...(faults.chain ?? [])];
}

export function packedSelf(faults: StatementFaults = {}): Attests {
  return ({ authData, clientDataHash, alg, privateKey }) => {
    const sig = signWith(alg, privateKey, Buffer.concat([authData, clientDataHash]));
    return whole(
      faults,
      new Map<string, Cbor>([
        ['alg', alg],
        ['sig', sig],
      ]),
    );
  };
}

export function packed(from: Authority, faults: StatementFaults = {}): Attests {
  return ({ authData, clientDataHash, aaguid }) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const extensions = { [FIDO_AAGUID]: { value: octets(aaguid) } };
    const x5c = issued(from, { key: publicKey, subject: MAKER, extensions }, faults);
    const sig = signWith(-7, privateKey, Buffer.concat([authData, clientDataHash]));
    return whole(
      faults,
      new Map<string, Cbor>([
        ['alg', -7],
        ['sig', sig],
        ['x5c', x5c],
      ]),
    );
  };
}

export function fidoU2f(from: Authority, faults: StatementFaults = {}): Attests {
  return ({ rpIdHash, clientDataHash, credentialId, publicKey: credential }) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = credential.export({ format: 'jwk' }) as { x: string; y: string };
    const point = [Buffer.of(4), Buffer.from(jwk.x, 'base64url'), Buffer.from(jwk.y, 'base64url')];
    const signed = Buffer.concat([Buffer.of(0), rpIdHash, clientDataHash, credentialId, ...point]);
    const x5c = issued(from, { key: publicKey, subject: MAKER }, faults);
    return whole(
      faults,
      new Map<string, Cbor>([
        ['sig', signWith(-7, privateKey, signed)],
        ['x5c', x5c],
      ]),
    );
  };
}

export function apple(from: Authority, faults: StatementFaults & { nonce?: Buffer } = {}): Attests {
  return ({ authData, clientDataHash, publicKey }) => {
    const nonce = faults.nonce ?? sha256(authData, clientDataHash);
    const extensions = { [APPLE_NONCE]: { value: sequence(tagged(1, octets(nonce))) } };
    const x5c = issued(from, { key: publicKey, subject: MAKER, extensions }, faults);
    return whole(faults, new Map<string, Cbor>([['x5c', x5c]]));
  };
}

export type AndroidFaults = StatementFaults & {
  challenge?: Buffer;
  origin?: number;
  purpose?: number;
  allApplications?: boolean;
};

export function androidKey(from: Authority, faults: AndroidFaults = {}): Attests {
  return ({ authData, clientDataHash, publicKey, privateKey, alg }) => {
    const { origin = 0, purpose = 2, challenge = clientDataHash } = faults;
    const fields = [tagged(1, set(integer(purpose))), tagged(702, integer(origin))];
    const open = faults.allApplications ? [tagged(600, Buffer.of(5, 0))] : [];
    const description = sequence(
      integer(3),
      enumerated(1),
      integer(4),
      enumerated(1),
      octets(challenge),
      octets(Buffer.alloc(0)),
      sequence(...open),
      sequence(...fields),
    );
    const extensions = { [ANDROID_KEY]: { value: description } };
    const x5c = issued(from, { key: publicKey, subject: { '2.5.4.3': 'Android key' }, extensions }, faults);
    const sig = signWith(alg, privateKey, Buffer.concat([authData, clientDataHash]));
    return whole(
      faults,
      new Map<string, Cbor>([
        ['alg', alg],
        ['sig', sig],
        ['x5c', x5c],
      ]),
    );
  };
}

export type TpmFaults = StatementFaults & {
  magic?: number;
  type?: number;
  extraData?: Buffer;
  name?: Buffer;
  /** The key that the TPM certifies. */
  publicKey?: KeyObject;
  manufacturer?: string;
  /** Like Windows Hello: an RSA key that signs with SHA-1. */
  windows?: true;
  nameAlg?: number;
};

const uint = (value: number, bytes: number) => {
  const encoded = Buffer.alloc(bytes);
  encoded.writeUIntBE(value, 0, bytes);
  return encoded;
};
const sized = (bytes: Buffer) => Buffer.concat([uint(bytes.length, 2), bytes]);

/** TPMT_PUBLIC of a key on P-256, or of RSA. */
function publicArea(key: KeyObject, nameAlg: number): Buffer {
  const jwk = key.export({ format: 'jwk' }) as Record<string, string>;
  const part = (name: string) => sized(Buffer.from(jwk[name] as string, 'base64url'));
  const NONE = uint(0x0010, 2);
  const start = (type: number) => [
    uint(type, 2),
    uint(nameAlg, 2),
    uint(0x00060472, 4),
    sized(Buffer.alloc(0)),
    NONE,
    NONE,
  ];
  return jwk.kty === 'RSA'
    ? Buffer.concat([...start(0x0001), uint(2048, 2), uint(0, 4), part('n')])
    : Buffer.concat([...start(0x0023), uint(0x0003, 2), NONE, part('x'), part('y')]);
}

export function tpm(from: Authority, faults: TpmFaults = {}): Attests {
  return ({ authData, clientDataHash, aaguid, ...attested }) => {
    const { privateKey, publicKey } = faults.windows ? rsaKeys() : generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { nameAlg = 0x000b } = faults;
    const pubArea = publicArea(faults.publicKey ?? attested.publicKey, nameAlg);
    const digest = nameAlg === 4 ? sha1(pubArea) : sha256(pubArea);
    const name = faults.name ?? Buffer.concat([uint(nameAlg, 2), digest]);
    const ceremony = faults.windows ? sha1(authData, clientDataHash) : sha256(authData, clientDataHash);
    const certInfo = Buffer.concat([
      uint(faults.magic ?? 0xff544347, 4),
      uint(faults.type ?? 0x8017, 2),
      sized(Buffer.of(1, 2, 3)),
      sized(faults.extraData ?? ceremony),
      Buffer.alloc(17),
      Buffer.alloc(8),
      sized(name),
      sized(Buffer.of(4, 5, 6)),
    ]);
    const directory = writeName({
      '2.23.133.2.1': faults.manufacturer ?? 'id:494E5443',
      '2.23.133.2.2': 'Model',
      '2.23.133.2.3': 'id:00020000',
    });
    const extensions = {
      '2.5.29.17': { value: sequence(tagged(4, directory)), critical: true },
      '2.5.29.37': { value: sequence(oid('2.23.133.8.3')) },
      [FIDO_AAGUID]: { value: octets(aaguid) },
    };
    const x5c = issued(from, { key: publicKey, subject: {}, extensions }, faults);
    const sig = faults.windows ? sign('sha1', certInfo, privateKey) : signWith(-7, privateKey, certInfo);
    return whole(
      faults,
      new Map<string, Cbor>([
        ['alg', faults.windows ? -65535 : -7],
        ['sig', sig],
        ['ver', '2.0'],
        ['x5c', x5c],
        ['pubArea', pubArea],
        ['certInfo', certInfo],
      ]),
    );
  };
}

/** Several statements about one passkey (WebAuthn 8.9). */
export function compound(...parts: [AttestationFormat, Attests][]): Attests {
  return (attested) =>
    parts.map(
      ([format, attests]) =>
        new Map<string, Cbor>([
          ['fmt', format],
          ['attStmt', attests(attested) as Cbor],
        ]),
    );
}
