import { Malformed } from './malformed.ts';
import { type CborMap, readCbor } from './read-cbor.ts';

/** The data about a ceremony that the authenticator signs (WebAuthn 6.1). */
export type AuthenticatorData = {
  rpIdHash: Buffer;
  userPresent: boolean;
  userVerified: boolean;
  backupEligible: boolean;
  backedUp: boolean;
  signCount: number;
  attested: AttestedCredential | undefined;
};

export type AttestedCredential = { aaguid: Buffer; credentialId: Buffer; publicKey: CborMap };

const HEAD_BYTES = 37;
const FLAGS_AT = 32;
const SIGN_COUNT_AT = 33;
const AAGUID_BYTES = 16;
/** WebAuthn 7.1 step 25. */
const MAX_CREDENTIAL_ID_BYTES = 1023;

const UP = 1;
const UV = 4;
const BE = 8;
const BS = 16;
const AT = 64;
const ED = 128;

export function readAuthenticatorData(bytes: Buffer): AuthenticatorData {
  if (bytes.length < HEAD_BYTES) throw new Malformed('the authenticator data is too short');
  const flags = bytes[FLAGS_AT] as number;
  let end = HEAD_BYTES;
  let attested: AttestedCredential | undefined;
  if (flags & AT) ({ attested, end } = readAttested(bytes, end));
  // The outputs of authenticator extensions are not used. They must still be exactly one map.
  if (flags & ED) end = readMapAt(bytes, end, 'the extensions').end;
  if (end !== bytes.length) throw new Malformed('the authenticator data has bytes left over');
  return {
    rpIdHash: bytes.subarray(0, FLAGS_AT),
    userPresent: (flags & UP) !== 0,
    userVerified: (flags & UV) !== 0,
    backupEligible: (flags & BE) !== 0,
    backedUp: (flags & BS) !== 0,
    signCount: bytes.readUInt32BE(SIGN_COUNT_AT),
    attested,
  };
}

function readAttested(bytes: Buffer, start: number): { attested: AttestedCredential; end: number } {
  const idAt = start + AAGUID_BYTES + 2;
  if (idAt > bytes.length) throw new Malformed('the attested credential is too short');
  const idLength = bytes.readUInt16BE(start + AAGUID_BYTES);
  if (idLength === 0 || idLength > MAX_CREDENTIAL_ID_BYTES) throw new Malformed('the credential id has a wrong length');
  const keyAt = idAt + idLength;
  if (keyAt > bytes.length) throw new Malformed('the attested credential is too short');
  const { map: publicKey, end } = readMapAt(bytes, keyAt, 'the public key');
  const aaguid = bytes.subarray(start, start + AAGUID_BYTES);
  return { attested: { aaguid, credentialId: bytes.subarray(idAt, keyAt), publicKey }, end };
}

function readMapAt(bytes: Buffer, start: number, what: string): { map: CborMap; end: number } {
  const { value, end } = readCbor(bytes, start);
  if (!(value instanceof Map)) throw new Malformed(`${what} is not a map`);
  return { map: value, end };
}
