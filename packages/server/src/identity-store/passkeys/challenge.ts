import { randomBytes } from 'node:crypto';
import type { TenantTx } from '../../db/db.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { challengeHash, REMEMBERED_MS } from '../ceremonies/challenge-rules.ts';
import { useChallenge } from '../ceremonies/used-challenges.repository.ts';
import { decodeBase64Url } from './decode-base64url.ts';

const CHALLENGE_BYTES = 32;
/** WebAuthn 13.4.3: at least 16 bytes. */
const MIN_GIVEN_BYTES = 16;
const MAX_GIVEN_BYTES = 1024;

type Ceremony = {
  kind: 'PASSKEY_REGISTRATION' | 'PASSKEY_AUTHENTICATION';
  storeId: string;
  rpId: string;
  now: number;
  policy: { externalChallengeAllowed: boolean };
};

/**
 * Returns a new challenge, or the caller's challenge if the policy allows that. A caller's challenge opens one session,
 * and a session allows one attempt. So a signed answer cannot be replayed.
 */
export async function challengeOf(
  tx: TenantTx,
  callersChallenge: string | undefined,
  { kind, storeId, rpId, now, policy }: Ceremony,
): Promise<string> {
  if (callersChallenge === undefined) return randomBytes(CHALLENGE_BYTES).toString('base64url');
  if (!policy.externalChallengeAllowed) throw new ApiError(100043);
  decodeInput(callersChallenge, '/challenge', { least: MIN_GIVEN_BYTES, most: MAX_GIVEN_BYTES });
  const hash = challengeHash(kind, rpId, callersChallenge);
  const used = { store_id: storeId, challenge_hash: hash, expires_at: now + REMEMBERED_MS };
  if (await useChallenge(tx, used)) return callersChallenge;
  throw invalidInput({ pointer: '/challenge', message: 'was used before: a challenge is valid for one session' });
}

/** Decodes a caller's base64url text; ensures its length in bytes. */
export function decodeInput(text: string, pointer: string, { least, most }: { least: number; most: number }): Buffer {
  let bytes: Buffer;
  try {
    bytes = decodeBase64Url(text, pointer, most);
  } catch {
    throw invalidInput({ pointer, message: `must be base64url of at most ${most} bytes, without padding` });
  }
  if (bytes.length >= least && bytes.length <= most) return bytes;
  throw invalidInput({ pointer, message: `must have ${least} to ${most} bytes` });
}
