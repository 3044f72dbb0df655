import { createPublicKey, type KeyObject } from 'node:crypto';
import { boundedMap } from '../../kernel/bounded-map.ts';

/** The keys of passkeys that were used lately: to read one costs about as much as to verify with it. */
export type PublicKeys = (passkeyId: string, spki: Uint8Array) => KeyObject;

const MAX_KEYS = 10_000;

/** By the id of the passkey, which is given to no other and whose key never changes. */
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
