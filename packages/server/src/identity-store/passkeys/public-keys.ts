import { createPublicKey, type KeyObject } from 'node:crypto';
import { boundedMap } from '../../kernel/bounded-map.ts';

/** A cache of public keys in use: to import a key takes about as long as to verify a signature. */
export type PublicKeys = (passkeyId: string, spki: Uint8Array) => KeyObject;

const MAX_KEYS = 10_000;

/** The id of the passkey is the cache key: ids are never reused, and the key of a passkey never changes. */
export function openPublicKeys(): PublicKeys {
  const keys = boundedMap<string, KeyObject>(MAX_KEYS);
  return (passkeyId, spki) => {
    const cached = keys.get(passkeyId);
    if (cached) return cached;
    const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
    keys.set(passkeyId, key);
    return key;
  };
}
