import { constants, type KeyObject, sign } from 'node:crypto';

/** The signature algorithms of the test authenticators, by their COSE number. */
export type Alg = -7 | -8 | -35 | -36 | -37 | -38 | -39 | -47 | -48 | -49 | -50 | -257 | -258 | -259;

const HASHES: Partial<Record<Alg, string>> = {
  [-7]: 'sha256',
  [-47]: 'sha256',
  [-35]: 'sha384',
  [-36]: 'sha512',
  [-257]: 'sha256',
  [-258]: 'sha384',
  [-259]: 'sha512',
  [-37]: 'sha256',
  [-38]: 'sha384',
  [-39]: 'sha512',
};

export function signWith(alg: Alg, key: KeyObject, data: Buffer): Buffer {
  const pss = alg === -37 || alg === -38 || alg === -39;
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
  const options = pss ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength } : key;
  return sign(HASHES[alg] ?? null, data, options);
}
