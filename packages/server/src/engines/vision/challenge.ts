/** The functions that follow a challenge of active liveness are pure and load no model. */
export {
  CHALLENGE_LIMITS,
  type ChallengeFrame,
  type ChallengeProgress,
  expire,
  type FaceObservation,
  followBlindly,
  followChallenge,
  type NoFace,
  type Omission,
  openInstruction,
  startChallenge,
  type WantedFrame,
  wantedFrame,
} from '@grove/vision/templates';
