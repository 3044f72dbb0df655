import type { Pose } from './follow-challenge.ts';

/**
 * The challenge where this browser finds no landmarks, or too slowly: the movements are asked for by the clock, and the
 * server alone judges what the frames show.
 */
export const TIMED = {
  /** To find one's face in the oval. */
  readyMs: 2500,
  /** To read the instruction and to follow it. */
  poseMs: 2600,
  /** Less than the frames that may be sent, over all poses. */
  frameMs: 560,
} as const;

export type TimedMoment = { readonly asked: Pose | null; readonly shown: number; readonly progress: number };

export function timedMoment(poses: readonly Pose[], elapsedMs: number): TimedMoment {
  const shown = Math.min(poses.length, Math.floor(elapsedMs / TIMED.poseMs));
  return {
    asked: poses[shown] ?? null,
    shown,
    progress: Math.min(1, elapsedMs / (poses.length * TIMED.poseMs)),
  };
}
