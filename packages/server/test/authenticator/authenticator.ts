import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { type Keys, rsaKeys } from '../rsa-keys.ts';
import type { AttestationFormat, Attests } from './attest.ts';
import { type Alg, signWith } from './sign-with.ts';
import { type Cbor, writeCbor } from './write-cbor.ts';

/**
 * An authenticator in software, and the browser before it: real keys, real signatures, and any fault that a test wants.
 * Values have WebAuthn's JSON forms.
 */
export type AuthenticatorOptions = {
  origin: string;
  alg?: Alg;
  /** False for a synced passkey, whose counter is always 0. */
  counts?: boolean;
  userVerified?: boolean;
  backupEligible?: boolean;
  aaguid?: Buffer;
  format?: AttestationFormat;
  attests?: Attests;
  credentialIdBytes?: number;
};

export type CreationOptions = {
  rp: { id: string };
  user: { id: string };
  challenge: string;
};
export type RequestOptions = { challenge: string; rpId: string };

/** The faults that a test wants. */
export type Faults = {
  /** Members of the client data; `undefined` leaves one out. */
  clientData?: Readonly<Record<string, unknown>>;
  /** The client data as bytes. */
  clientDataJson?: Buffer;
  rpId?: string;
  flags?: number;
  signCount?: number;
  /** The authenticator data, before it is signed. */
  authData?: (data: Buffer) => Buffer;
  extensions?: Cbor;
  signature?: (signature: Buffer) => Buffer;
  signedBy?: KeyObject;
  userHandle?: string | null;
  /** The COSE key, before it is attested. */
  publicKey?: (key: Map<number, Cbor>) => Map<number, Cbor>;
  attestation?: (object: Map<string, Cbor>) => Map<string, Cbor>;
  attestationBytes?: (bytes: Buffer) => Buffer;
  /** Members of the credential. */
  credential?: Readonly<Record<string, unknown>>;
};

const UP = 1;
const UV = 4;
const BE = 8;
const BS = 16;
const AT = 64;
const ED = 128;

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();
const uint = (value: number, bytes: number) => {
  const encoded = Buffer.alloc(bytes);
  encoded.writeUIntBE(value, 0, bytes);
  return encoded;
};

export type Authenticator = ReturnType<typeof authenticator>;

export function authenticator(options: AuthenticatorOptions) {
  const { alg = -7, aaguid = Buffer.alloc(16) } = options;
  const credentialId = randomBytes(options.credentialIdBytes ?? 32);
  return remembering(options, { ...newKeys(alg), credentialId, aaguid, alg, signCount: 0, userHandle: '' });
}

type Memory = {
  privateKey: KeyObject;
  publicKey: KeyObject;
  credentialId: Buffer;
  aaguid: Buffer;
  alg: Alg;
  signCount: number;
  userHandle: string;
};

function remembering(options: AuthenticatorOptions, memory: Memory) {
  const { origin, counts = true, userVerified = true, backupEligible = false } = options;
  const flagsOf = (more = 0) => UP | (userVerified ? UV : 0) | (backupEligible ? BE | BS : 0) | more;
  const count = () => {
    if (counts) memory.signCount += 1;
    return memory.signCount;
  };
  const id = memory.credentialId.toString('base64url');

  return {
    id,
    memory,
    /** A copy with the same key and the same counter. */
    clone: () => remembering(options, { ...memory }),

    create({ rp, user, challenge }: CreationOptions, faults: Faults = {}) {
      memory.userHandle = user.id;
      const clientDataJson = clientDataOf('webauthn.create', { challenge, origin }, faults);
      const key = faults.publicKey?.(coseKey(memory)) ?? coseKey(memory);
      const { aaguid, credentialId } = memory;
      const attested = [aaguid, uint(credentialId.length, 2), credentialId, writeCbor(key)];
      const authData = authDataOf({ rpId: rp.id, flags: flagsOf(AT), signCount: count(), attested }, faults);
      const { format = 'none', attests } = options;
      const clientDataHash = sha256(clientDataJson);
      const statement = attests
        ? attests({ authData, clientDataHash, rpIdHash: sha256(rp.id), ...memory })
        : new Map<string, Cbor>();
      const object = new Map<string, Cbor>([
        ['fmt', format],
        ['attStmt', statement],
        ['authData', authData],
      ]);
      const bytes = writeCbor(faults.attestation?.(object) ?? object);
      return {
        id,
        rawId: id,
        type: 'public-key' as const,
        response: {
          clientDataJSON: clientDataJson.toString('base64url'),
          attestationObject: (faults.attestationBytes?.(bytes) ?? bytes).toString('base64url'),
          transports: ['internal', 'hybrid'],
        },
        clientExtensionResults: {},
        ...faults.credential,
      };
    },

    get({ challenge, rpId }: RequestOptions, faults: Faults = {}) {
      const clientDataJson = clientDataOf('webauthn.get', { challenge, origin }, faults);
      const authData = authDataOf({ rpId, flags: flagsOf(), signCount: faults.signCount ?? count() }, faults);
      const signed = Buffer.concat([authData, sha256(clientDataJson)]);
      const signature = signWith(memory.alg, faults.signedBy ?? memory.privateKey, signed);
      const userHandle = faults.userHandle === undefined ? memory.userHandle : faults.userHandle;
      return {
        id,
        rawId: id,
        type: 'public-key' as const,
        response: {
          clientDataJSON: clientDataJson.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: (faults.signature?.(signature) ?? signature).toString('base64url'),
          userHandle,
        },
        clientExtensionResults: {},
        ...faults.credential,
      };
    },
  };
}

function clientDataOf(type: string, { challenge, origin }: { challenge: string; origin: string }, faults: Faults) {
  if (faults.clientDataJson) return faults.clientDataJson;
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...faults.clientData }));
}

type AuthDataParts = { rpId: string; flags: number; signCount: number; attested?: Buffer[] };

function authDataOf({ rpId, flags, signCount, attested = [] }: AuthDataParts, faults: Faults): Buffer {
  const extensions = faults.extensions === undefined ? [] : [writeCbor(faults.extensions)];
  const set = (faults.flags ?? flags) | (extensions.length > 0 ? ED : 0);
  const data = Buffer.concat([
    sha256(faults.rpId ?? rpId),
    Buffer.of(set),
    uint(faults.signCount ?? signCount, 4),
    ...attested,
    ...extensions,
  ]);
  return faults.authData?.(data) ?? data;
}

const LATTICES: Partial<Record<Alg, 'ml-dsa-44' | 'ml-dsa-65' | 'ml-dsa-87'>> = {
  [-48]: 'ml-dsa-44',
  [-49]: 'ml-dsa-65',
  [-50]: 'ml-dsa-87',
} as const;
const CURVES: Partial<Record<Alg, { name: string; cose: number }>> = {
  [-7]: { name: 'P-256', cose: 1 },
  [-35]: { name: 'P-384', cose: 2 },
  [-36]: { name: 'P-521', cose: 3 },
  [-47]: { name: 'secp256k1', cose: 8 },
};

function newKeys(alg: Alg): Keys {
  if (alg === -8) return generateKeyPairSync('ed25519');
  const lattice = LATTICES[alg];
  if (lattice) return generateKeyPairSync(lattice);
  const curve = CURVES[alg];
  return curve ? generateKeyPairSync('ec', { namedCurve: curve.name }) : rsaKeys();
}

export function coseKey({ alg, publicKey }: Pick<Memory, 'alg' | 'publicKey'>): Map<number, Cbor> {
  const jwk = publicKey.export({ format: 'jwk' }) as Record<string, string>;
  const part = (name: string) => Buffer.from(jwk[name] as string, 'base64url');
  if (LATTICES[alg])
    return new Map<number, Cbor>([
      [1, 7],
      [3, alg],
      [-1, part('pub')],
    ]);
  if (jwk.kty === 'RSA')
    return new Map<number, Cbor>([
      [1, 3],
      [3, alg],
      [-1, part('n')],
      [-2, part('e')],
    ]);
  if (alg === -8)
    return new Map<number, Cbor>([
      [1, 1],
      [3, alg],
      [-1, 6],
      [-2, part('x')],
    ]);
  const curve = CURVES[alg]?.cose as number;
  return new Map<number, Cbor>([
    [1, 2],
    [3, alg],
    [-1, curve],
    [-2, part('x')],
    [-3, part('y')],
  ]);
}
