/** When a frame shows a movement, and how long and how often a person may try. */
export const CHALLENGE_LIMITS = {
  /** For one instruction, the way back included. */
  instructionMs: 10_000,
  challengeMs: 75_000,
  framesPerInstruction: 40,
  /** Four a second for as long as a challenge may take. */
  frames: 300,
  /** A random pause of at most this before an instruction is revealed. */
  revealPauseMs: 500,
  /** A direction counts from here on. The pose network underrates large angles, and looking up more than the rest. */
  turnDegrees: 10,
  nodDegrees: 8,
  /** The head is back at the centre within these. */
  centreDegrees: 7,
  /** An expression is shown with the head nearly at rest. An open mouth lifts the pitch by up to 7 degrees. */
  expressionYawDegrees: 12,
  expressionPitchDegrees: 14,
  /** The first frames: the person looks ahead and holds still. */
  forwardYawDegrees: 15,
  forwardPitchDegrees: 22,
  restDegrees: 6,
  restMouth: 0.2,
  /** A frame so far in a direction that was not asked for ends the challenge at once; a nearer one must be there twice. */
  strayShare: 1.4,
  /** So many frames in a row must show the movement. */
  shownFrames: 2,
  /** A blink is shorter than this; closed eyes are not. */
  eyesClosedMs: 600,
  /** The gap between the lips, in widths of the mouth, and the way of the chin, in widths of the eyes, beyond the rest. */
  mouthGap: 0.25,
  jawDrop: 0.05,
  mouthClosedGap: 0.12,
  /** Both witnesses must say so: the eye network and the lids, beside what they say of the person's open eyes. */
  eyesClosedShare: 0.5,
  lidsClosedShare: 0.8,
  /** What the eye network says of open eyes that it sees well. */
  eyesSeenOpen: 0.75,
  lidsOpenShare: 0.82,
  /** How many times as large as at rest the face is when it has come closer, and when it is back. `largest` is a share of the picture. */
  closer: { from: 1.25, backBelow: 1.12, largest: 0.85 },
  /** The best frame of each movement beside the face at rest. Strangers stay below 0.5 with the head straight. */
  turnedAlike: 0.45,
  /** Nobody reads an instruction and turns the head sooner. */
  reactionMs: 250,
  framesWithoutFace: 6,
  framesWithOthers: 2,
} as const;
