/** Following a challenge of active liveness is pure, and loads no model. */
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
