import { hash, randomBytes } from 'node:crypto';
import { HOUR, MINUTE } from '../../kernel/clock.ts';

/**
 * Challenges that a caller brings. One of the form `<epoch ms>.<32 random bytes>`, either plain or, as UAF asks for, in
 * base64url, says itself when it was made: it is good for five minutes around that moment. Any other is vouched for by
 * the caller, who keeps the session. Both are good once.
 */
export const SINGLE_SHOT_WINDOW_MS = 5 * MINUTE;
/** How long a challenge without a time of its own is remembered. */
export const REMEMBERED_MS = 24 * HOUR;

const RANDOM_BYTES = 32;
const SINGLE_SHOT = /^(\d{13})\.[A-Za-z0-9_-]{43}$/;

/** In base64url, for a UAF request. */
export function newChallenge(): string {
  return randomBytes(RANDOM_BYTES).toString('base64url');
}

/** `timed` if it says itself when it was made. */
export type ChallengeJudgement = { fresh: true; timed: boolean; rememberUntil: number } | { fresh: false };

export function judgeChallenge(challenge: string, now: number): ChallengeJudgement {
  const at = singleShot(challenge)?.at;
  if (at === undefined) return { fresh: true, timed: false, rememberUntil: now + REMEMBERED_MS };
  if (Math.abs(now - at) > SINGLE_SHOT_WINDOW_MS) return { fresh: false };
  // To the end of its window, and a little: two servers' clocks are never quite the same.
  return { fresh: true, timed: true, rememberUntil: at + 2 * SINGLE_SHOT_WINDOW_MS };
}

/** The plain text of a challenge that says when it was made, and that moment. */
function singleShot(challenge: string): { plain: string; at: number } | undefined {
  const match = SINGLE_SHOT.exec(challenge) ?? SINGLE_SHOT.exec(Buffer.from(challenge, 'base64url').toString('latin1'));
  return match ? { plain: match[0], at: Number(match[1]) } : undefined;
}

/**
 * One-time values are namespaced: one that was used to register is another than one used to authenticate. All spellings
 * of a challenge that says when it was made have one hash, so it cannot be used once in each of them.
 */
export function challengeHash(kind: string, rpId: string, challenge: string): Buffer {
  return hash('sha256', JSON.stringify([kind, rpId, singleShot(challenge)?.plain ?? challenge]), 'buffer');
}
