import { generateKeyPairSync, type KeyObject } from 'node:crypto';

export type Keys = { readonly privateKey: KeyObject; readonly publicKey: KeyObject };

let keys: Keys | undefined;

/** Generating a pair takes long, so everything in a process shares one. */
export function rsaKeys(): Keys {
  keys ??= generateKeyPairSync('rsa', { modulusLength: 2048 });
  return keys;
}
