import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Challenge, ChallengePose } from './challenge.ts';
import type { Frame } from './frames.ts';
import { CHALLENGE_LIMITS, type ChallengeAnswer, verifyChallenge } from './verify.ts';

const challenge: Challenge = {
  nonce: 'n0nce',
  poses: ['centre', 'left', 'up', 'right', 'down'],
  issuedAt: 1_000_000,
  expiresAt: 1_060_000,
};

const ANGLES: Record<ChallengePose, { yaw: number; pitch: number }> = {
  centre: { yaw: 0, pitch: 0 },
  left: { yaw: -24, pitch: 0 },
  right: { yaw: 24, pitch: 0 },
  up: { yaw: 0, pitch: 20 },
  down: { yaw: 0, pitch: -20 },
};

/** The way a head goes: from pose to pose by way of the middle, with the tremor of one that lives. */
function perform(poses: readonly ChallengePose[]): Frame[] {
  const stops = poses.flatMap((pose) => [half(pose), ANGLES[pose], half(pose), ANGLES.centre]);
  return stops.map(({ yaw, pitch }, at) => {
    const tremor = Math.sin(at * 7) * 0.8;
    return {
      sha256: `${at}`,
      capturedAt: 1_001_000 + at * 200 + Math.round(Math.sin(at * 3) * 6),
      width: 640,
      height: 480,
      faces: 1,
      box: { left: 200 + yaw + tremor, top: 100 - pitch, right: 400 + yaw + tremor, bottom: 350 - pitch },
      yaw: 3 + yaw + tremor,
      pitch: 6 + pitch + tremor,
      noseOffset: 0.01 + yaw * 0.01,
      passive: 0.95 + tremor / 20,
      vector: Float32Array.of(Math.cos(at / 50), Math.sin(at / 50)),
    };
  });
}

function half(pose: ChallengePose): { yaw: number; pitch: number } {
  return { yaw: ANGLES[pose].yaw / 2, pitch: ANGLES[pose].pitch / 2 };
}

function verify(change: Partial<ChallengeAnswer> = {}) {
  const frames = perform(challenge.poses);
  return verifyChallenge({ challenge, nonce: 'n0nce', alreadyUsed: false, now: 1_030_000, frames, ...change });
}

/** The frames of an honest performance, some of them changed. */
function withFrames(change: (frame: Frame, at: number) => Partial<Frame>) {
  return verify({ frames: perform(challenge.poses).map((frame, at) => ({ ...frame, ...change(frame, at) })) });
}

describe('an active challenge', () => {
  test('is passed by one living face that does what it was asked, in order', () => {
    const verdict = verify();
    assert.deepEqual([verdict.passed, verdict.reasons, verdict.hints], [true, [], []]);
    assert.equal(verdict.posesShown, challenge.poses.length);
  });

  test('is refused with another nonce, a used one, and outside of its minute', () => {
    assert.deepEqual(verify({ nonce: 'another' }).reasons, ['wrong_nonce']);
    assert.deepEqual(verify({ alreadyUsed: true }).reasons, ['already_used']);
    assert.deepEqual(verify({ now: challenge.expiresAt + 1 }).reasons, ['expired']);
    assert.deepEqual(verify({ now: challenge.issuedAt - 1 }).reasons, ['expired']);
  });

  test('is refused as wrong_poses when the order is another one', () => {
    const verdict = verify({ frames: perform(['centre', 'up', 'left', 'right', 'down']) });
    assert.deepEqual(verdict.reasons, ['wrong_poses']);
    assert.equal(verdict.posesShown, 1);
  });

  test('is refused as wrong_poses when all directions are swept through until it fits', () => {
    const sweep = perform(['centre', 'left', 'right', 'up', 'down', 'left', 'up', 'right', 'down']);
    assert.deepEqual(verify({ frames: sweep }).reasons, ['wrong_poses']);
  });

  test('is refused as wrong_poses when the head stays where it is', () => {
    const still = withFrames(() => ({ yaw: 0, pitch: 0, noseOffset: 0 }));
    assert.deepEqual(still.reasons, ['wrong_poses']);
  });

  test('is refused as repeated_frames when a picture comes back', () => {
    const again = withFrames((_, at) => ({ sha256: at === 9 ? '4' : `${at}` }));
    assert.deepEqual(again.reasons, ['repeated_frames']);
  });

  test('takes a camera that was asked too often, and does not count what it repeats', () => {
    const twice = perform(challenge.poses).flatMap((frame) => [frame, frame]);
    const verdict = verify({ frames: twice });
    assert.deepEqual([verdict.passed, verdict.hints.includes('frozen_frames')], [true, true]);
    const nine = perform(challenge.poses).slice(0, 9);
    assert.ok(verify({ frames: nine.flatMap((frame) => [frame, frame]) }).reasons.includes('too_few_frames'));
  });

  test('forgives one misread frame, not two', () => {
    const misread = (at: number) => (at === 1 ? { yaw: 3 + 14, noseOffset: 0.15 } : {});
    assert.deepEqual(withFrames((_, at) => misread(at)).reasons, []);
    const twice = withFrames((_, at) => (at === 1 || at === 2 ? { yaw: 3 + 14, noseOffset: 0.15 } : {}));
    assert.ok(twice.reasons.includes('wrong_poses'));
  });

  test('is refused as different_faces when somebody else takes over', () => {
    const other = Float32Array.of(-1, 0);
    const verdict = withFrames(({ vector }, at) => ({ vector: at > 10 ? other : vector }));
    assert.deepEqual(verdict.reasons, ['different_faces']);
    assert.equal(verdict.lowestCosine, -1);
  });

  test('is refused as no_face and several_faces', () => {
    const nobody = withFrames((_, at) => (at === 3 ? { faces: 0, box: null, vector: null } : {}));
    assert.deepEqual(nobody.reasons, ['no_face']);
    assert.deepEqual(withFrames((_, at) => (at === 3 ? { faces: 2 } : {})).reasons, ['several_faces']);
  });

  test('is refused as not_continuous when the face jumps from one place, size or pose to another', () => {
    const aside = withFrames(({ box }, at) =>
      at > 8 && box ? { box: { ...box, left: box.left + 400, right: box.right + 400 } } : {},
    );
    assert.deepEqual(aside.reasons, ['not_continuous']);
    const nearer = withFrames(({ box }, at) =>
      at > 8 && box ? { box: { ...box, top: box.top - 150, bottom: box.bottom + 150 } } : {},
    );
    assert.deepEqual(nearer.reasons, ['not_continuous']);
    const whirled = withFrames(({ yaw, pitch }) => ({ yaw: yaw * 3, pitch: pitch * 3 }));
    assert.deepEqual(whirled.reasons, ['not_continuous']);
  });

  test('is refused as flat when the yaw turns and the nose does not', () => {
    assert.deepEqual(withFrames(() => ({ noseOffset: 0.01 })).reasons, ['flat']);
  });

  test('is refused as passive_low when most frames look like a print or a screen', () => {
    assert.deepEqual(withFrames((_, at) => (at % 3 > 0 ? { passive: 0.1 } : {})).reasons, ['passive_low']);
    assert.deepEqual(withFrames((_, at) => (at % 3 === 0 ? { passive: 0.1 } : {})).reasons, []);
  });

  test('is refused with too few and too many frames, and looks at no more than its limit', () => {
    assert.ok(verify({ frames: [] }).reasons.includes('too_few_frames'));
    const long = Array.from({ length: 10 }, () => perform(challenge.poses)).flat();
    const many = long.map((frame, at) => ({
      ...frame,
      sha256: `${at}`,
      faces: at < CHALLENGE_LIMITS.framesAtMost ? 1 : 0,
    }));
    const { reasons } = verify({ frames: many });
    assert.ok(reasons.includes('too_many_frames') && !reasons.includes('no_face'));
  });

  test('names signs of injected pictures, and does not decide by them', () => {
    const steady = withFrames((_, at) => ({ capturedAt: 1_000_000 + at * 200 }));
    assert.deepEqual([steady.passed, steady.hints], [true, ['steady_clock']]);
    const backwards = withFrames((_, at) => (at === 5 ? { capturedAt: 0 } : {}));
    assert.deepEqual([backwards.passed, backwards.hints], [true, ['clock_backwards']]);
    const sizes = withFrames((_, at) => (at === 5 ? { width: 320, height: 240 } : {}));
    assert.deepEqual([sizes.passed, sizes.hints], [true, ['size_changes']]);
    const frames = perform(challenge.poses);
    const frozen = frames.map((frame, at) =>
      at === 4 ? { ...(frames[3] as Frame), sha256: 'another', capturedAt: frame.capturedAt } : frame,
    );
    assert.deepEqual(verify({ frames: frozen }).hints, ['frozen_frames']);
  });
});
