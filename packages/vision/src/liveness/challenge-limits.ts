/** The limits of a challenge: when a frame shows a movement, and how long and how often a person may try. */
export const CHALLENGE_LIMITS = {
  /** The time for one instruction, the way back included. */
  instructionMs: 10_000,
  challengeMs: 75_000,
  framesPerInstruction: 40,
  /** Four frames a second for the maximum time of a challenge. */
  frames: 300,
  /** The maximum of the random pause before an instruction is revealed. */
  revealPauseMs: 500,
  /** From these angles on, a direction counts. The pose network underrates large angles, most of all upward. */
  turnDegrees: 10,
  nodDegrees: 8,
  /** Within these angles the head is back at the centre. */
  centreDegrees: 7,
  /** An expression counts only with the head nearly at rest. An open mouth raises the pitch by up to 7 degrees. */
  expressionYawDegrees: 12,
  expressionPitchDegrees: 14,
  /** The first frames, in which the person looks ahead and holds still. */
  forwardYawDegrees: 15,
  forwardPitchDegrees: 22,
  restDegrees: 6,
  restMouth: 0.2,
  /** A frame this far in another direction ends the challenge at once; a closer one must come twice. */
  strayShare: 1.4,
  /**
   * Ways of the nose relative to the eyes, in widths of the eyes. At 25 degrees it is 0.2, at 35 0.35, at 45 half a width. The
   * least way that confirms a turn, the largest of a face at rest, and that of a profile.
   */
  turnedNose: 0.07,
  restNose: 0.2,
  profileNose: 0.35,
  /** The number of consecutive frames that must show the movement. */
  shownFrames: 2,
  /** A blink is shorter than this; closed eyes are not. */
  eyesClosedMs: 600,
  /** The gap of the lips, in widths of the mouth, and the way of the chin, in widths of the eyes, beyond rest. */
  mouthGap: 0.25,
  jawDrop: 0.05,
  mouthClosedGap: 0.12,
  /** The eye network and the lids must both find the eyes closed, compared with the person's open eyes. */
  eyesClosedShare: 0.5,
  lidsClosedShare: 0.8,
  /** The eye network's value for open eyes that it sees well. */
  eyesSeenOpen: 0.75,
  lidsOpenShare: 0.82,
  /** The size of the face relative to rest when it is closer, and back. `largest` is a share of the picture. */
  closer: { from: 1.25, backBelow: 1.12, largest: 0.85 },
  /** The best frame of each movement compared with the face at rest. Strangers have less than 0.5. */
  turnedAlike: 0.45,
  /** Nobody reads an instruction and turns the head faster. */
  reactionMs: 250,
  framesWithoutFace: 6,
  framesWithOthers: 2,
} as const;
