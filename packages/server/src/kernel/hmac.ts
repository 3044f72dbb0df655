import { hash, type KeyObject } from 'node:crypto';

/**
 * HMAC-SHA256 as in RFC 2104, made of two hashes: Node's own HMAC needs a new object for every text, which takes longer
 * than both hashes.
 */
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
/** Most texts fit; a longer one gets its own buffer. */
const ROOM_BYTES = 512;

type Hmac = (text: string, encoding: 'base64url' | 'hex') => string;

const hmacs = new WeakMap<KeyObject, Hmac>();

export function hmacSha256(key: KeyObject, text: string, encoding: 'base64url' | 'hex'): string {
  let hmac = hmacs.get(key);
  if (!hmac) {
    hmac = hmacOf(key);
    hmacs.set(key, hmac);
  }
  return hmac(text, encoding);
}

function hmacOf(key: KeyObject): Hmac {
  const exported = key.export();
  const secret = exported.length > BLOCK_BYTES ? hash('sha256', exported, 'buffer') : exported;
  const inner = Buffer.alloc(BLOCK_BYTES + ROOM_BYTES);
  const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);
  for (let at = 0; at < BLOCK_BYTES; at++) {
    inner[at] = (secret[at] ?? 0) ^ INNER_PAD;
    outer[at] = (secret[at] ?? 0) ^ OUTER_PAD;
  }
  return (text, encoding) => {
    // UTF-8 needs at most three bytes for each UTF-16 code unit.
    if (text.length * 3 > ROOM_BYTES) {
      outer.write(
        hash('sha256', Buffer.concat([inner.subarray(0, BLOCK_BYTES), Buffer.from(text)]), 'binary'),
        BLOCK_BYTES,
        'latin1',
      );
      return hash('sha256', outer, encoding);
    }
    const end = BLOCK_BYTES + inner.write(text, BLOCK_BYTES);
    // The digest as a latin1 string takes half the time of a buffer.
    outer.write(hash('sha256', inner.subarray(0, end), 'binary'), BLOCK_BYTES, 'latin1');
    // The text may be a secret.
    inner.fill(0, BLOCK_BYTES, end);
    return hash('sha256', outer, encoding);
  };
}
