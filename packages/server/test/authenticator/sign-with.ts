import { type KeyObject, sign } from 'node:crypto';

/** The signature algorithms that our authenticators know, by their COSE number. */
export type Alg = -7 | -8 | -35 | -36 | -257;

export function signWith(alg: Alg, key: KeyObject, data: Buffer): Buffer {
  return sign({ [-7]: 'sha256', [-8]: null, [-35]: 'sha384', [-36]: 'sha512', [-257]: 'sha256' }[alg], data, key);
}
