import type { Challenge, JourneyApi } from '../../api.ts';
import { Problem } from '../../problem.ts';
import { createFrameKey } from './frame-key.ts';
import type { EndReason, Omission } from './instruction.ts';

export type ChallengeEnd = { state: 'DONE'; challengeId: string } | { state: 'ENDED'; reason: EndReason };

export type ChallengeParts = {
  api: Pick<JourneyApi, 'createChallenge' | 'sendFrame'>;
  omit: readonly Omission[];
  /** Takes a frame of the camera; `undefined` while it shows nothing. */
  take(longestSide: number): Promise<Blob | undefined>;
  /** Called with every response of the server. */
  show(challenge: Challenge): void;
  pause(ms: number): Promise<void>;
  signal: AbortSignal;
};

/** At most four frames a second: more would only warm the phone. */
export const FRAME_MS = 250;
/** More than a challenge can take at this pace, because the server ends it earlier. */
export const MAX_FRAMES = 400;
/** The server no longer knows the challenge, or another one was started. */
const CHALLENGE_GONE = 100132;

/**
 * Runs one challenge from its start to its end. The server chooses the movements and judges the frames; the page sends
 * frames, one at a time, and shows the responses. Resolves to `undefined` if the signal stopped it.
 */
export async function runChallenge(parts: ChallengeParts): Promise<ChallengeEnd | undefined> {
  const { api, omit, take, show, pause, signal } = parts;
  const key = await createFrameKey();
  try {
    let challenge = await api.createChallenge({
      publicKey: key.publicKey,
      ...(omit.length > 0 && { omit: [...omit] }),
    });
    for (let frames = 0; frames < MAX_FRAMES && !signal.aborted; frames += 1) {
      show(challenge);
      const { state, challengeId, instruction, reason } = challenge;
      if (state === 'DONE') return { state, challengeId };
      if (state === 'ENDED' || !instruction) return { state: 'ENDED', reason: reason ?? 'too_slow' };
      const { token, longestSide } = instruction;
      const pace = pause(FRAME_MS);
      const at = Math.round(performance.now());
      const frame = await take(longestSide);
      if (frame && !signal.aborted) {
        const signature = await key.sign(challengeId, token, frame);
        challenge = await api.sendFrame(challengeId, { token, signature, at }, frame, signal);
      }
      await pace;
    }
    return signal.aborted ? undefined : { state: 'ENDED', reason: 'too_many_frames' };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (error instanceof Problem && error.code === CHALLENGE_GONE) return { state: 'ENDED', reason: 'too_slow' };
    throw error;
  }
}
