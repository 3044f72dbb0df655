import { hash, randomBytes } from 'node:crypto';
import { HOUR, MINUTE } from '../../kernel/clock.ts';

/**
 * Challenges of callers. A challenge of the form `<epoch ms>.<32 random bytes>`, plain or in base64url as UAF requires,
 * contains its time. It is valid for five minutes around that time. For any other challenge the caller, who keeps the
 * session, is responsible. Every challenge is valid once.
 */
export const SINGLE_SHOT_WINDOW_MS = 5 * MINUTE;
/** How long a challenge without a time is remembered. */
export const REMEMBERED_MS = 24 * HOUR;

const RANDOM_BYTES = 32;
const SINGLE_SHOT = /^(\d{13})\.[A-Za-z0-9_-]{43}$/;

/** Returns a new challenge in base64url, for a UAF request. */
export function newChallenge(): string {
  return randomBytes(RANDOM_BYTES).toString('base64url');
}

/** `timed`: the challenge contains its time. */
export type ChallengeJudgement = { fresh: true; timed: boolean; rememberUntil: number } | { fresh: false };

export function judgeChallenge(challenge: string, now: number): ChallengeJudgement {
  const at = singleShot(challenge)?.at;
  if (at === undefined) return { fresh: true, timed: false, rememberUntil: now + REMEMBERED_MS };
  if (Math.abs(now - at) > SINGLE_SHOT_WINDOW_MS) return { fresh: false };
  // Remembered for longer than its window, because the clocks of two servers differ.
  return { fresh: true, timed: true, rememberUntil: at + 2 * SINGLE_SHOT_WINDOW_MS };
}

/** Returns the plain text and the time of a challenge that contains its time. */
function singleShot(challenge: string): { plain: string; at: number } | undefined {
  const match = SINGLE_SHOT.exec(challenge) ?? SINGLE_SHOT.exec(Buffer.from(challenge, 'base64url').toString('latin1'));
  return match ? { plain: match[0], at: Number(match[1]) } : undefined;
}

/**
 * Returns the hash under which a used challenge is remembered. The kind is part of it: a challenge of a registration is
 * not the same as one of an authentication. All spellings of a timed challenge have one hash, so it cannot be replayed
 * in another spelling.
 */
export function challengeHash(kind: string, rpId: string, challenge: string): Buffer {
  return hash('sha256', JSON.stringify([kind, rpId, singleShot(challenge)?.plain ?? challenge]), 'buffer');
}
