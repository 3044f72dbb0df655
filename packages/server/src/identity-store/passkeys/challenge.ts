import { randomBytes } from 'node:crypto';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { decodeBase64Url } from './decode-base64url.ts';

const CHALLENGE_BYTES = 32;
/** WebAuthn 13.4.3: at least 16 bytes. */
const MIN_GIVEN_BYTES = 16;
const MAX_GIVEN_BYTES = 1024;

/** A new challenge, or that of the caller where the policy takes one. */
export function challengeOf(given: string | undefined, policy: { externalChallengeAllowed: boolean }): string {
  if (given === undefined) return randomBytes(CHALLENGE_BYTES).toString('base64url');
  if (!policy.externalChallengeAllowed) throw new ApiError(100043);
  bytesGiven(given, '/challenge', { least: MIN_GIVEN_BYTES, most: MAX_GIVEN_BYTES });
  return given;
}

/** The base64url text of a caller, which must have so many bytes. */
export function bytesGiven(text: string, pointer: string, { least, most }: { least: number; most: number }): Buffer {
  let bytes: Buffer;
  try {
    bytes = decodeBase64Url(text, pointer, most);
  } catch {
    throw invalidInput({ pointer, message: `must be base64url of at most ${most} bytes, without padding` });
  }
  if (bytes.length >= least && bytes.length <= most) return bytes;
  throw invalidInput({ pointer, message: `must have ${least} to ${most} bytes` });
}
