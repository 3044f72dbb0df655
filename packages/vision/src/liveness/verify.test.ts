import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { faceAt, vectorNear } from '../../test/observations.ts';
import type { ChallengeFrame, ChallengeProgress } from './follow.ts';
import type { Movement } from './movements.ts';
import type { FaceObservation } from './observation.ts';
import { LIVENESS_BOUNDS, verifyChallenge } from './verify.ts';

const MOVEMENTS: readonly Movement[] = ['centre', 'left', 'closeEyes', 'right', 'openMouth'];

/** An answered challenge: each movement in two frames, and the face at rest after it. */
function answered(change: (frame: ChallengeFrame) => Partial<FaceObservation> = () => ({})): ChallengeProgress {
  const frames = MOVEMENTS.flatMap((movement, instruction) =>
    (movement === 'centre' ? (['centre', 'centre'] as const) : ([movement, movement, 'centre'] as const)).map(
      (shown, at): ChallengeFrame => ({
        at: instruction * 1500 + at * 300,
        capturedAt: instruction * 1500 + at * 300 + (at % 2),
        sha256: `${instruction}/${at}`,
        instruction,
        role: shown === 'centre' ? 'centre' : 'shown',
        observation: faceAt(shown),
      }),
    ),
  );
  const instructions = MOVEMENTS.map((movement) => ({ movement, revealedAt: 0, phase: 'return' as const, arrived: 3 }));
  return {
    state: 'DONE',
    reason: null,
    omit: [],
    total: MOVEMENTS.length,
    startedAt: 0,
    neutral: null,
    instructions,
    arrived: frames.length,
    withoutFace: 0,
    withOthers: 0,
    frames: frames.map((frame) => ({ ...frame, observation: { ...frame.observation, ...change(frame) } })),
  };
}

const verify = (
  progress = answered(),
  { novelty = 0.03, beyondPose = 0.025, thirdLeast = 0.02, eyes = 0.004, selfie = vectorNear() }: Partial<Numbers> = {},
) => {
  const measured = novelty === null ? null : { median: novelty, medianBeyondPose: beyondPose, thirdLeast, eyes };
  return verifyChallenge({ progress, novelty: measured, selfie });
};
type Numbers = {
  novelty: number | null;
  beyondPose: number;
  thirdLeast: number;
  eyes: number;
  selfie: Float32Array | null;
};

describe('an answered challenge', () => {
  test('an answered challenge is accepted if one living face made the movements', () => {
    assert.deepEqual([verify().result, verify().refused, verify().doubtful], ['ANSWERED', [], []]);
  });

  test('an answered challenge is refused as different_faces if a frame at rest, a turned frame or the selfie shows somebody else', () => {
    const other = vectorNear(0.1);
    const atRest = answered(({ instruction, role }) =>
      instruction === 3 && role === 'centre' ? { vector: other } : {},
    );
    const turned = answered(({ instruction, role }) =>
      instruction === 1 && role === 'shown' ? { vector: other } : {},
    );
    for (const progress of [atRest, turned]) assert.deepEqual(verify(progress).refused, ['different_faces']);
    assert.deepEqual(verify(answered(), { selfie: other }).refused, ['different_faces']);
    assert.deepEqual(verify(answered(), { selfie: null }).refused, ['different_faces']);
    assert.deepEqual(verify(answered(), { selfie: vectorNear(0.55) }).refused, ['different_faces'], 'a morph');
  });

  test('an answered challenge is refused as same_picture without novelty when the head comes back, and doubtful near the bound', () => {
    const { refuse, doubt } = LIVENESS_BOUNDS.novelty;
    assert.deepEqual(verify(answered(), { novelty: refuse - 0.0001 }).refused, ['same_picture']);
    assert.deepEqual(verify(answered(), { novelty: doubt - 0.0001 }).doubtful, ['same_picture']);
    const ofPose = LIVENESS_BOUNDS.noveltyBeyondPose;
    assert.deepEqual(verify(answered(), { beyondPose: ofPose.refuse - 0.0001 }).refused, ['same_picture']);
    assert.deepEqual(verify(answered(), { beyondPose: ofPose.doubt - 0.0001 }).doubtful, ['same_picture']);
    const third = LIVENESS_BOUNDS.thirdNovelty;
    assert.deepEqual(verify(answered(), { thirdLeast: third.refuse - 0.0001 }).refused, ['same_picture']);
    assert.deepEqual(verify(answered(), { thirdLeast: third.doubt - 0.0001 }).doubtful, ['same_picture']);
    assert.deepEqual(verify(answered(), { novelty: null }).doubtful, ['same_picture'], 'what was not measured');
    const still = vectorNear(0.999);
    assert.deepEqual(
      verify(
        answered(() => ({ vector: still })),
        { selfie: still },
      ).refused,
      ['same_picture'],
    );
  });

  test('an answered challenge of a person whose head and mouth hold still is accepted if the eyes are new each time', () => {
    const { alive } = LIVENESS_BOUNDS.eyeNovelty;
    const still = { novelty: 0.0055, beyondPose: 0.0049, thirdLeast: 0.0044 };
    assert.equal(verify(answered(), { ...still, eyes: alive }).result, 'ANSWERED');
    assert.deepEqual(verify(answered(), { ...still, eyes: alive - 0.0001 }).refused, ['same_picture']);
    const same = vectorNear(0.999);
    const unchanged = answered(() => ({ vector: same }));
    const { refuse, doubt } = LIVENESS_BOUNDS.sameness;
    // Different vectors of this likeness to the mean have its square as their cosine.
    const alike = answered(() => ({ vector: vectorNear(Math.sqrt((refuse + doubt) / 2)) }));
    assert.equal(verify(alike, { ...still, eyes: alive }).result, 'ANSWERED');
    assert.deepEqual(verify(alike, { eyes: alive - 0.0001 }).doubtful, ['same_picture']);
    assert.deepEqual(verify(unchanged, { ...still, eyes: alive, selfie: same }).refused, ['same_picture']);
  });

  test('an answered challenge is doubtful if the eyes are always the same and little else is new', () => {
    const { same, withSameEyes } = LIVENESS_BOUNDS.eyeNovelty;
    const painted = { eyes: same - 0.0001, beyondPose: withSameEyes - 0.0001 };
    assert.deepEqual(verify(answered(), painted).doubtful, ['same_picture']);
    assert.equal(verify(answered(), { ...painted, eyes: same }).result, 'ANSWERED');
    assert.equal(verify(answered(), { ...painted, beyondPose: withSameEyes }).result, 'ANSWERED');
  });

  test('an answered challenge is doubtful if some faces at rest are one photograph and the others differ widely', () => {
    const { median, thirdShare } = LIVENESS_BOUNDS.inTurn;
    const inTurn = { novelty: median, thirdLeast: median * thirdShare };
    assert.deepEqual(verify(answered(), inTurn).doubtful, ['same_picture']);
    assert.equal(verify(answered(), { ...inTurn, thirdLeast: inTurn.thirdLeast + 0.001 }).result, 'ANSWERED');
    assert.equal(
      verify(answered(), { ...inTurn, novelty: median - 0.001 }).result,
      'ANSWERED',
      'somebody who holds still',
    );
  });

  test('an answered challenge is never accepted if a measure is not a number', () => {
    const broken = new Float32Array(vectorNear().length).fill(Number.NaN);
    assert.deepEqual(verify(answered(), { novelty: Number.NaN }).doubtful, ['same_picture']);
    assert.deepEqual(verify(answered(), { beyondPose: Number.NaN }).doubtful, ['same_picture']);
    assert.deepEqual(verify(answered(), { thirdLeast: Number.NaN }).doubtful, ['same_picture']);
    assert.deepEqual(verify(answered(), { eyes: Number.NaN }).doubtful, ['same_picture']);
    assert.deepEqual(verify(answered(), { selfie: broken }).refused, ['different_faces']);
    assert.deepEqual(verify(answered(() => ({ vector: broken }))).refused, ['different_faces']);
    assert.deepEqual(verify(answered(() => ({ passive: Number.NaN }))).doubtful, ['passive_low']);
    assert.deepEqual(verify(answered(({ role }) => (role === 'shown' ? { nose: Number.NaN } : {}))).refused, ['flat']);
  });

  test('an answered challenge is refused as flat if the head turned and the nose did not', () => {
    assert.deepEqual(verify(answered(() => ({ nose: 0.01 }))).refused, ['flat']);
  });

  test('an answered challenge is refused as passive_low if the frames look like a print or a screen, and doubtful between the bounds', () => {
    assert.deepEqual(verify(answered(() => ({ passive: 0.2 }))).refused, ['passive_low']);
    assert.deepEqual(verify(answered(() => ({ passive: 0.4 }))).doubtful, ['passive_low']);
    assert.deepEqual(verify(answered(() => ({ passive: null }))).doubtful, ['passive_low']);
  });

  test('an answered challenge is refused as repeated_frames if a picture comes back', () => {
    const progress = answered();
    const frames = progress.frames.map((frame) => (frame.instruction === 4 ? { ...frame, sha256: '1/1' } : frame));
    assert.ok(verify({ ...progress, frames }).refused.includes('repeated_frames'));
  });

  test('an answered challenge is left to a human if the face jumps, the clock of the page is odd, or movements were omitted', () => {
    const jump = answered(({ instruction, role }) =>
      instruction === 2 && role === 'centre' ? { box: { left: 400, top: 80, right: 560, bottom: 280 } } : {},
    );
    assert.deepEqual(verify(jump).doubtful, ['not_continuous']);
    const progress = answered();
    const even = progress.frames.map((frame, at) => ({ ...frame, capturedAt: at * 250 }));
    assert.deepEqual(verify({ ...progress, frames: even }).doubtful, ['odd_clock']);
    const back = progress.frames.map((frame, at) => ({ ...frame, capturedAt: at === 5 ? 0 : frame.capturedAt }));
    assert.deepEqual(verify({ ...progress, frames: back }).doubtful, ['odd_clock']);
    assert.deepEqual(verify({ ...progress, omit: ['eyes'] }).doubtful, ['movements_omitted']);
    assert.equal(verify({ ...progress, omit: ['eyes'] }).result, 'DOUBTFUL');
  });
});
