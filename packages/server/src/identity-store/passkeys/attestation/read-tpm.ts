import { Malformed } from '../malformed.ts';

/** The two structures of a TPM attestation (TPM 2.0, part 2). */
export type TpmKey = {
  nameAlg: number;
  /** As in a JSON Web Key. */
  jwk: { n: string; e: string } | { crv: string; x: string; y: string };
};

export type TpmCertified = { extraData: Buffer; attestedName: Buffer };

const ALG_RSA = 0x0001;
const ALG_NULL = 0x0010;
const ALG_ECC = 0x0023;
const GENERATED_VALUE = 0xff544347;
const ATTEST_CERTIFY = 0x8017;
const CLOCK_INFO_BYTES = 17;
const FIRMWARE_VERSION_BYTES = 8;
const USUAL_EXPONENT = 65537;

const CURVES: Readonly<Record<number, { crv: string; bytes: number }>> = {
  3: { crv: 'P-256', bytes: 32 },
  4: { crv: 'P-384', bytes: 48 },
  5: { crv: 'P-521', bytes: 66 },
};

/** Reads one field after another; `end` refuses trailing bytes. */
function cursor(bytes: Buffer) {
  let at = 0;
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Malformed('a TPM structure ends too early');
    at += length;
    return bytes.subarray(at - length, at);
  };
  return {
    take,
    uint: (length: number) => take(length).readUIntBE(0, length),
    /** TPM2B: a length of two bytes, then the content. */
    sized: () => take(take(2).readUInt16BE(0)),
    end() {
      if (at !== bytes.length) throw new Malformed('a TPM structure has bytes left over');
    },
  };
}

/** TPMT_PUBLIC. */
export function readTpmKey(bytes: Buffer): TpmKey {
  const { uint, sized, end } = cursor(bytes);
  const type = uint(2);
  const nameAlg = uint(2);
  uint(4);
  sized();
  if (uint(2) !== ALG_NULL) throw new Malformed('a TPM key for signing must not have a cipher');
  // A scheme is followed by its hash algorithm.
  if (uint(2) !== ALG_NULL) uint(2);
  let jwk: TpmKey['jwk'];
  if (type === ALG_RSA) {
    uint(2);
    const exponent = uint(4) || USUAL_EXPONENT;
    jwk = { n: sized().toString('base64url'), e: shortest(exponent).toString('base64url') };
  } else if (type === ALG_ECC) {
    const curve = CURVES[uint(2)];
    if (!curve) throw new Malformed('a TPM key is on an unknown curve');
    if (uint(2) !== ALG_NULL) uint(2);
    const [x, y] = [padded(sized(), curve.bytes), padded(sized(), curve.bytes)];
    jwk = { crv: curve.crv, x: x.toString('base64url'), y: y.toString('base64url') };
  } else {
    throw new Malformed('a TPM key is of an unknown kind');
  }
  end();
  return { nameAlg, jwk };
}

/** Reads a TPMS_ATTEST that certifies a key. */
export function readTpmCertified(bytes: Buffer): TpmCertified {
  const { take, uint, sized, end } = cursor(bytes);
  if (uint(4) !== GENERATED_VALUE) throw new Malformed('the structure was not made by a TPM');
  if (uint(2) !== ATTEST_CERTIFY) throw new Malformed('the TPM certified no key');
  sized();
  const extraData = sized();
  take(CLOCK_INFO_BYTES);
  take(FIRMWARE_VERSION_BYTES);
  const attestedName = sized();
  sized();
  end();
  return { extraData, attestedName };
}

/** A TPM may omit leading zeros. */
function padded(coordinate: Buffer, length: number): Buffer {
  if (coordinate.length > length) throw new Malformed('a TPM key has a point that is too large');
  return Buffer.concat([Buffer.alloc(length - coordinate.length), coordinate]);
}

function shortest(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes.subarray(bytes.findIndex(Boolean));
}
