import { constants, createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { KEY, MODE, SIGN, TAG } from '../../src/identity-store/appkeys/uaf/registry.ts';
import { rsaKeys } from '../rsa-keys.ts';
import { type TlvEntry, tlv, uint16, uint32 } from './tlv.ts';

/**
 * A UAF client and authenticator in software: real keys, real signatures, and any fault that a test wants. It reads
 * requests as the server sends them and answers as an application would.
 */
export type Faults = {
  /** Members of the client data; `undefined` omits one. */
  final?: Record<string, unknown>;
  header?: Record<string, unknown>;
  /** Members of the response, of its one assertion, and the list itself. */
  response?: Record<string, unknown>;
  assertionMembers?: Record<string, unknown>;
  list?: (one: object) => unknown;
  /** The signed entries: replaced, added or omitted before signing. */
  entries?: (entries: TlvEntry[]) => TlvEntry[];
  /** Entries beside the signed ones. */
  beside?: (entries: TlvEntry[]) => TlvEntry[];
  signature?: (signature: Buffer) => Buffer;
  /** Another key than the registered one. */
  signWith?: KeyObject;
  /** The final bytes of the assertion. */
  bytes?: (assertion: Buffer) => Buffer;
  keyId?: Buffer;
  aaid?: string;
  counter?: number;
  signAlgorithm?: number;
  mode?: number;
  transactionHash?: Buffer;
};

export type Attestation = { certificates: Buffer[]; key: KeyObject };

export type AuthenticatorOptions = {
  keyIdBytes?: number;
  aaid?: string;
  facetId?: string;
  signAlgorithm?: number;
  keyAlgorithm?: number;
  /** Without it, the key signs its own attestation. */
  attestation?: Attestation | undefined;
};

type Request = {
  header: { upv: object; op: string; appID?: string };
  challenge: string;
  transaction?: { contentType: string; content: string }[];
};

export const FACET = 'https://app.example.com';
export const AAID = '4E4E#4001';
const VERSION = 1;

export type UafAuthenticator = ReturnType<typeof uafAuthenticator>;

export function uafAuthenticator(options: AuthenticatorOptions = {}) {
  const { aaid = AAID, facetId = FACET, attestation } = options;
  const { signAlgorithm = SIGN.SECP256R1_ECDSA_SHA256_RAW } = options;
  const p256 = signAlgorithm === SIGN.SECP256R1_ECDSA_SHA256_RAW || signAlgorithm === SIGN.SECP256R1_ECDSA_SHA256_DER;
  const k256 = signAlgorithm === SIGN.SECP256K1_ECDSA_SHA256_RAW || signAlgorithm === SIGN.SECP256K1_ECDSA_SHA256_DER;
  const ec = p256 || k256;
  const { keyAlgorithm = ec ? KEY.ECC_X962_RAW : KEY.RSA_2048_DER } = options;
  const { publicKey, privateKey } = ec
    ? generateKeyPairSync('ec', { namedCurve: k256 ? 'secp256k1' : 'P-256' })
    : rsaKeys();
  const keyId = randomBytes(options.keyIdBytes ?? 32);
  let counter = 0;

  const finalOf = (request: Request, faults: Faults) => {
    const { appID = facetId } = request.header;
    const final = { appID, challenge: request.challenge, facetID: facetId, channelBinding: {}, ...faults.final };
    return Buffer.from(JSON.stringify(final)).toString('base64url');
  };

  const message = (request: Request, fcParams: string, assertion: Buffer, faults: Faults) => {
    const one = { assertionScheme: 'UAFV1TLV', assertion: assertion.toString('base64url'), ...faults.assertionMembers };
    const header = { ...request.header, ...faults.header };
    const response = { header, fcParams, assertions: [one], ...faults.response };
    return { uafProtocolMessage: JSON.stringify(faults.list?.(response) ?? [response]) };
  };

  const signedWith = (key: KeyObject, data: Buffer, faults: Faults) => {
    const signature = signatureOf(key, signAlgorithm, data);
    return faults.signature?.(signature) ?? signature;
  };

  return {
    keyId: keyId.toString('base64url'),
    publicKey,
    privateKey,
    get counter() {
      return counter;
    },
    /** A copy, as a thief of the device would have it. */
    rewind(to: number) {
      counter = to;
    },

    register(uafProtocolMessage: string, faults: Faults = {}) {
      const request = firstOf(uafProtocolMessage);
      const fcParams = finalOf(request, faults);
      const algorithm = faults.signAlgorithm ?? signAlgorithm;
      const entries: TlvEntry[] = [
        [TAG.AAID, Buffer.from(faults.aaid ?? aaid)],
        [
          TAG.ASSERTION_INFO,
          Buffer.concat([uint16(VERSION), Buffer.of(faults.mode ?? MODE.VERIFIED), uint16(algorithm, keyAlgorithm)]),
        ],
        [TAG.FINAL_CHALLENGE_HASH, sha256(fcParams)],
        [TAG.KEYID, faults.keyId ?? keyId],
        [TAG.COUNTERS, uint32(faults.counter ?? counter, 1)],
        [TAG.PUB_KEY, publicKeyBytes(publicKey, keyAlgorithm)],
      ];
      const krd = tlv(TAG.KRD, ...(faults.entries?.(entries) ?? entries));
      const signature = signedWith(faults.signWith ?? attestation?.key ?? privateKey, krd, faults);
      const certificates = (attestation?.certificates ?? []).map((each): TlvEntry => [TAG.ATTESTATION_CERT, each]);
      const kind = attestation ? TAG.ATTESTATION_BASIC_FULL : TAG.ATTESTATION_BASIC_SURROGATE;
      const vouched: TlvEntry = [
        kind,
        Buffer.concat([[TAG.SIGNATURE, signature] as TlvEntry, ...certificates].map((each) => tlv(...each))),
      ];
      const assertion = tlv(TAG.REG_ASSERTION, krd, ...(faults.beside?.([vouched]) ?? [vouched]));
      return message(request, fcParams, faults.bytes?.(assertion) ?? assertion, faults);
    },

    authenticate(uafProtocolMessage: string, faults: Faults = {}) {
      const request = firstOf(uafProtocolMessage);
      const fcParams = finalOf(request, faults);
      counter += 1;
      const [transaction] = request.transaction ?? [];
      const mode = faults.mode ?? (transaction ? MODE.CONFIRMED : MODE.VERIFIED);
      const transactionHash = transaction ? sha256(Buffer.from(transaction.content, 'base64url')) : Buffer.alloc(0);
      const entries: TlvEntry[] = [
        [TAG.AAID, Buffer.from(faults.aaid ?? aaid)],
        [
          TAG.ASSERTION_INFO,
          Buffer.concat([uint16(VERSION), Buffer.of(mode), uint16(faults.signAlgorithm ?? signAlgorithm)]),
        ],
        [TAG.AUTHENTICATOR_NONCE, randomBytes(16)],
        [TAG.FINAL_CHALLENGE_HASH, sha256(fcParams)],
        [TAG.TRANSACTION_CONTENT_HASH, faults.transactionHash ?? transactionHash],
        [TAG.KEYID, faults.keyId ?? keyId],
        [TAG.COUNTERS, uint32(faults.counter ?? counter)],
      ];
      const signed = tlv(TAG.SIGNED_DATA, ...(faults.entries?.(entries) ?? entries));
      const signature = signedWith(faults.signWith ?? privateKey, signed, faults);
      const beside: TlvEntry[] = [[TAG.SIGNATURE, signature]];
      const assertion = tlv(TAG.AUTH_ASSERTION, signed, ...(faults.beside?.(beside) ?? beside));
      return message(request, fcParams, faults.bytes?.(assertion) ?? assertion, faults);
    },
  };
}

/** A request as the server would create it, for callers that manage the session themselves. */
export function ownRequest(op: 'Reg' | 'Auth', challenge: string, appID?: string): string {
  return JSON.stringify([{ header: { upv: { major: 1, minor: 1 }, op, ...(appID && { appID }) }, challenge }]);
}

function firstOf(uafProtocolMessage: string): Request {
  const [request] = JSON.parse(uafProtocolMessage) as Request[];
  if (!request) throw new Error('the request is empty');
  return request;
}

function sha256(content: string | Buffer): Buffer {
  return createHash('sha256').update(content).digest();
}

function publicKeyBytes(key: KeyObject, keyAlgorithm: number): Buffer {
  switch (keyAlgorithm) {
    case KEY.ECC_X962_RAW: {
      const { x = '', y = '' } = key.export({ format: 'jwk' });
      return Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
    }
    case KEY.ECC_X962_DER:
      return key.export({ type: 'spki', format: 'der' });
    case KEY.RSA_2048_RAW: {
      const { n = '', e = '' } = key.export({ format: 'jwk' });
      return Buffer.concat([Buffer.from(n, 'base64url'), Buffer.from(e, 'base64url')]);
    }
    default:
      return key.export({ type: 'pkcs1', format: 'der' });
  }
}

function signatureOf(key: KeyObject, signAlgorithm: number, data: Buffer): Buffer {
  switch (signAlgorithm) {
    case SIGN.SECP256R1_ECDSA_SHA256_RAW:
    case SIGN.SECP256K1_ECDSA_SHA256_RAW:
      return sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' });
    case SIGN.SECP256R1_ECDSA_SHA256_DER:
    case SIGN.SECP256K1_ECDSA_SHA256_DER:
      return sign('sha256', data, { key, dsaEncoding: 'der' });
    case SIGN.RSASSA_PSS_SHA256_RAW:
      return sign('sha256', data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 });
    case SIGN.RSASSA_PSS_SHA256_DER:
      return wrapped(sign('sha256', data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }));
    case SIGN.RSA_EMSA_PKCS1_SHA256_RAW:
      return sign('sha256', data, { key, padding: constants.RSA_PKCS1_PADDING });
    default:
      return wrapped(sign('sha256', data, { key, padding: constants.RSA_PKCS1_PADDING }));
  }
}

/** A DER octet string of 256 bytes. */
function wrapped(signature: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x04, 0x82, signature.length >> 8, signature.length & 255), signature]);
}
