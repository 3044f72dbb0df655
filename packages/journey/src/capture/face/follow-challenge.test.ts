import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chooseFrames, chooseSoFar, FRAMES_AT_LEAST, FRAMES_AT_MOST, type KeptFrame } from './choose-frames.ts';
import {
  asInMirror,
  CHALLENGE_GUIDE,
  type ChallengeLook,
  followChallenge,
  type Pose,
  startChallenge,
  stepBetween,
} from './follow-challenge.ts';
import type { Angles } from './judge-face.ts';
import { isInDoubt, isTooSlow, noLooksYet, paceLook } from './pace-looks.ts';
import { TIMED, timedMoment } from './timed-challenge.ts';

/** A head that looks a little down, as over a phone. */
const AHEAD: Angles = { yaw: 3, pitch: -4, roll: 0 };
const TOWARDS: Record<Pose, Angles> = {
  centre: AHEAD,
  left: { ...AHEAD, yaw: AHEAD.yaw - 16 },
  right: { ...AHEAD, yaw: AHEAD.yaw + 16 },
  up: { ...AHEAD, pitch: AHEAD.pitch + 14 },
  down: { ...AHEAD, pitch: AHEAD.pitch - 12 },
};

/** The way from one pose to the next, by way of the middle, at the pace of the looks. */
function perform(poses: readonly Pose[]): Angles[] {
  const way = [AHEAD, AHEAD, AHEAD];
  for (const pose of poses.slice(1)) {
    const half = { ...AHEAD, yaw: (AHEAD.yaw + TOWARDS[pose].yaw) / 2, pitch: (AHEAD.pitch + TOWARDS[pose].pitch) / 2 };
    way.push(half, TOWARDS[pose], TOWARDS[pose], TOWARDS[pose], half, AHEAD);
  }
  return way;
}

function follow(poses: readonly Pose[], angles: readonly Angles[]): ChallengeLook[] {
  let state = startChallenge(poses);
  return angles.map((each) => {
    const forward = Math.abs(each.yaw) < 14 && Math.abs(each.pitch) < 20;
    const look = followChallenge(state, each, forward);
    state = look.state;
    return look;
  });
}

const POSES: readonly Pose[] = ['centre', 'left', 'up', 'right', 'down'];

describe('following a challenge', () => {
  test('asks for one pose after the other until all are shown', () => {
    const looks = follow(POSES, perform(POSES));
    assert.deepEqual([...new Set(looks.map(({ asked }) => asked))], [...POSES, null]);
    const last = looks[looks.length - 1];
    assert.deepEqual([last?.state.shown, last?.asked], [POSES.length, null]);
  });

  test('begins only with a head that looks ahead and is at rest', () => {
    const turned = Array.from({ length: 6 }, () => ({ ...AHEAD, yaw: 12 }));
    assert.equal(follow(POSES, turned)[5]?.asked, 'centre');
    const restless = Array.from({ length: 6 }, (_, at) => ({ ...AHEAD, yaw: at % 2 === 0 ? -6 : 6 }));
    assert.equal(follow(POSES, restless)[5]?.asked, 'centre');
    assert.equal(follow(POSES, [AHEAD, AHEAD, AHEAD])[2]?.asked, 'left');
  });

  test('counts a pose only when it is held, not when it is passed through', () => {
    const looks = follow(POSES, [AHEAD, AHEAD, AHEAD, TOWARDS.left, TOWARDS.left, AHEAD, TOWARDS.left]);
    assert.equal(looks[6]?.asked, 'left');
  });

  test('calls a direction astray that was not asked for, and neither the one asked for nor the one before', () => {
    const looks = follow(POSES, [...perform(['centre', 'left']), TOWARDS.down, TOWARDS.left, TOWARDS.up]);
    assert.deepEqual(
      looks.slice(-3).map(({ astray }) => astray),
      [true, false, false],
    );
  });

  test('says when a movement is faster than the server takes it', () => {
    const looks = follow(POSES, [AHEAD, AHEAD, AHEAD, { ...AHEAD, yaw: AHEAD.yaw - CHALLENGE_GUIDE.stepDegrees - 1 }]);
    assert.deepEqual(
      looks.map(({ tooFast }) => tooFast),
      [false, false, false, true],
    );
  });

  test('measures from where the head was, not from where the camera stands', () => {
    const low = perform(POSES).map(({ yaw, pitch, roll }) => ({ yaw: yaw - 2, pitch: pitch - 9, roll }));
    assert.equal(follow(POSES, low).at(-1)?.asked, null);
  });

  test('left of the picture is right in the mirror; up stays up', () => {
    assert.deepEqual(POSES.map(asInMirror), ['centre', 'right', 'up', 'left', 'down']);
  });
});

describe('choosing frames', () => {
  const kept = (angles: readonly Angles[], repeat = 1): KeptFrame<number>[] => {
    const looks = follow(
      POSES,
      angles.flatMap((each) => Array.from({ length: repeat }, () => each)),
    );
    return looks.map(({ state, astray }, at) => ({
      image: at,
      at: at * 200,
      angles: state.before,
      usable: !astray,
      milestone: state.shown > (looks[at - 1]?.state.shown ?? 0),
    }));
  };

  test('sends every milestone, in order, and no more than the server takes', () => {
    const frames = kept(perform(POSES), 4);
    const chosen = chooseFrames(frames);
    assert.ok(frames.length > FRAMES_AT_MOST && chosen.length <= FRAMES_AT_MOST && chosen.length >= FRAMES_AT_LEAST);
    for (const frame of frames) if (frame.milestone) assert.ok(chosen.includes(frame));
    assert.ok(chosen.every(({ at }, place) => at > (chosen[place - 1]?.at ?? -1)));
  });

  test('chooses as movements are made, keeps what was chosen, and leaves room for those that come', () => {
    const frames = kept(perform(POSES), 4);
    let before = new Set<KeptFrame<number>>();
    let made = 0;
    for (const [at, frame] of frames.entries()) {
      if (!frame.milestone || at === 0) continue;
      if (made > 0) {
        const chosen = chooseSoFar(frames.slice(0, at + 1), before, { made, all: POSES.length - 1 });
        assert.ok(chosen.includes(frame) && [...before].every((each) => chosen.includes(each)), `${made}`);
        assert.ok(chosen.length <= 1 + made * 5, `${made}: ${chosen.length}`);
        before = new Set(chosen);
      }
      made += 1;
    }
    const all = chooseFrames(frames, before);
    assert.ok([...before].every((each) => all.includes(each)));
    assert.ok(before.size >= FRAMES_AT_LEAST && all.length - before.size <= 4 && all.length <= FRAMES_AT_MOST);
  });

  test('sends the frame that shows a pose furthest, which comes after it was counted', () => {
    const yaws = [0, 0, 0, 0, -4, -8, -12, -13, -14, -17, -21, -19, -14, -9, -3, 0, 0, 0, 0, 0];
    const frames = yaws.map(
      (yaw, at): KeptFrame<number> => ({
        ...{ image: at, at: at * 200, angles: { yaw, pitch: 0, roll: 0 }, usable: true },
        ...(at === 8 ? { milestone: true, pose: 'left' } : { milestone: false }),
      }),
    );
    assert.ok(chooseFrames(frames).some(({ image }) => image === 10));
    const last = [...frames.slice(0, 10), ...frames.slice(0, 4).map((frame) => ({ ...frame, angles: null }))];
    assert.ok(chooseFrames(last).some(({ image }) => image === 9));
  });

  test('leaves no step between frames that a head could not make', () => {
    const chosen = chooseFrames(kept(perform(POSES), 4));
    for (const [place, { angles }] of chosen.entries()) {
      const before = chosen[place - 1]?.angles;
      if (before && angles) assert.ok(stepBetween(before, angles) <= 17, `${place}`);
    }
  });

  test('sends nothing that shows no face, or leads astray', () => {
    const frames = kept(perform(POSES), 3).map((frame, at) => ({ ...frame, usable: at % 5 !== 2 }));
    assert.ok(chooseFrames(frames).every(({ usable }) => usable));
  });

  test('spreads over time where angles are not known', () => {
    const frames = Array.from({ length: 60 }, (_, at) => ({
      ...{ image: at, at: at * 220, angles: null, usable: true, milestone: false },
    }));
    const chosen = chooseFrames(frames);
    const gaps = chosen.slice(1).map(({ at }, place) => at - (chosen[place]?.at ?? 0));
    assert.ok(chosen.length >= FRAMES_AT_LEAST && chosen.length <= FRAMES_AT_MOST);
    assert.ok(Math.max(...gaps) <= 2.5 * Math.min(...gaps));
  });

  test('sends all there is when there is little', () => {
    assert.equal(chooseFrames(kept(perform(['centre', 'left']))).length, 9);
    assert.deepEqual(chooseFrames([]), []);
  });
});

describe('a challenge by the clock', () => {
  test('asks for each pose in its time, and fits the frames that may be sent', () => {
    assert.deepEqual(timedMoment(POSES, 0), { asked: 'centre', shown: 0, progress: 0 });
    assert.equal(timedMoment(POSES, TIMED.poseMs).asked, 'left');
    assert.deepEqual(timedMoment(POSES, TIMED.poseMs * POSES.length), { asked: null, shown: 5, progress: 1 });
    const frames = (TIMED.poseMs * POSES.length) / TIMED.frameMs;
    assert.ok(frames >= FRAMES_AT_LEAST && frames <= FRAMES_AT_MOST);
  });

  test('is used where a look takes longer than a quarter of a second, but not for slow first looks', () => {
    const paced = (looks: readonly number[]) => looks.reduce(paceLook, noLooksYet);
    assert.equal(isTooSlow(paced([900, 700, 100, 100, 100, 100, 100, 100])), false);
    assert.equal(isTooSlow(paced([300, 300, 300])), false);
    assert.equal(isTooSlow(paced(Array.from({ length: 8 }, () => 300))), true);
  });

  test('is not decided on by one slow look, and not passed over while there is doubt', () => {
    const inDoubt = (...looks: number[]) => isInDoubt(looks.reduce(paceLook, noLooksYet));
    assert.deepEqual([inDoubt(900, 700, 300), inDoubt(900, 300, 100)], [true, false]);
    assert.equal(inDoubt(...Array.from({ length: 8 }, () => 300)), false);
  });
});
