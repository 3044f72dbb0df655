import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrived, eyesApart, faceAt, vectorNear } from '../../test/observations.ts';
import { CHALLENGE_LIMITS } from './challenge-limits.ts';
import {
  type ArrivedFrame,
  type ChallengeProgress,
  expire,
  followBlindly,
  followChallenge,
  openInstruction,
  startChallenge,
  wantedFrame,
} from './follow.ts';
import { isDirection, type Movement } from './movements.ts';
import { wantedRole } from './roles.ts';
import { verifyChallenge } from './verify.ts';

const PACE_MS = 300;

const start = () => startChallenge({ now: 0, omit: [] });
const openMovement = (progress: ChallengeProgress) => openInstruction(progress)?.movement as Movement;
const clockOf = (progress: ChallengeProgress) =>
  Math.max(progress.frames.at(-1)?.at ?? 0, openInstruction(progress)?.revealedAt ?? 0) + PACE_MS;
const take = (progress: ChallengeProgress, observation: ArrivedFrame['observation'], at = clockOf(progress)) =>
  followChallenge(progress, arrived(at, observation), randomBytes).progress;

/** An actor who makes the open movement until it is recognised, and comes back. */
function obey(before: ChallengeProgress, until: (progress: ChallengeProgress) => boolean): ChallengeProgress {
  let progress = before;
  for (let frames = 0; frames < 100 && progress.state === 'OPEN' && !until(progress); frames += 1) {
    const open = openInstruction(progress);
    progress = take(progress, faceAt(open?.phase === 'do' ? open.movement : 'centre'));
  }
  return progress;
}

/** Starts challenges until one has an open movement of these. */
function openAt(wanted: (movement: Movement) => boolean): ChallengeProgress {
  for (let tries = 0; tries < 500; tries += 1) {
    const progress = obey(start(), ({ instructions }) => instructions.length === 2);
    if (wanted(openMovement(progress))) return progress;
  }
  throw new Error('the movement never came');
}

describe('a challenge of active liveness', () => {
  test('a challenge is completed by an actor who makes each requested movement', () => {
    for (let times = 0; times < 50; times += 1) {
      const done = obey(start(), () => false);
      assert.deepEqual([done.state, done.instructions.length], ['DONE', done.total]);
      const { result, refused, doubtful } = verifyChallenge({
        progress: done,
        novelty: { median: 0.03, medianBeyondPose: 0.025, thirdLeast: 0.02, eyes: 0.02 },
        selfie: done.frames[0]?.observation.vector ?? null,
      });
      assert.deepEqual([result, refused, doubtful], ['ANSWERED', [], []]);
    }
  });

  test('a challenge reveals a movement only when the previous one was recognised and the face is back at rest', () => {
    const progress = openAt(isDirection);
    const shown = take(take(progress, faceAt(openMovement(progress))), faceAt(openMovement(progress)));
    assert.equal(openInstruction(shown)?.phase, 'return');
    assert.equal(shown.instructions.length, 2);
    assert.equal(take(shown, faceAt('centre')).instructions.length, 3);
  });

  test('a challenge recognises that a person came closer, and continues when they are back', () => {
    const progress = openAt((movement) => movement === 'closer');
    const near = take(take(progress, faceAt('closer')), faceAt('closer'));
    assert.equal(openInstruction(near)?.phase, 'return');
    assert.equal(take(near, faceAt('closer')).instructions.length, 2);
    assert.equal(take(near, faceAt('centre')).instructions.length, 3);
    const larger = () => faceAt('centre', { points: eyesApart(112) });
    assert.equal(openInstruction(take(take(progress, larger()), larger()))?.phase, 'do');
  });

  test('sees that a face came closer that fills the picture so much that its box hardly grows', () => {
    const progress = openAt((movement) => movement === 'closer');
    const box = { left: 156, top: 70, right: 324, bottom: 290 };
    const near = take(take(progress, faceAt('closer', { box })), faceAt('closer', { box }));
    assert.equal(openInstruction(near)?.phase, 'return');
  });

  test('a challenge compares a frame with the one before only where the head should not move', () => {
    const turn = openAt(isDirection);
    assert.equal(wantedFrame(turn).lastLook, null, 'a nod must not be missed');
    const shown = take(turn, faceAt(openMovement(turn)));
    assert.ok(wantedFrame(shown).lastLook, 'it is held');
    const back = take(shown, faceAt(openMovement(turn)));
    assert.equal(openInstruction(back)?.phase, 'return');
    assert.equal(wantedFrame(back).lastLook, null, 'it comes back');
    assert.ok(wantedFrame(openAt((movement) => movement === 'closeEyes')).lastLook, 'only the eyes move');
  });

  test('a challenge does not ask a person to come closer who already fills the picture', () => {
    const box = { left: 100, top: 40, right: 370, bottom: 320 };
    for (let times = 0; times < 50; times += 1) {
      let progress = start();
      for (let frames = 0; frames < 100 && progress.state === 'OPEN'; frames += 1) {
        const open = openInstruction(progress);
        progress = take(progress, faceAt(open?.phase === 'do' ? open.movement : 'centre', { box }));
      }
      assert.equal(progress.state, 'DONE');
      assert.ok(progress.instructions.every(({ movement }) => movement !== 'closer'));
    }
  });

  test('a challenge does not advance by one frame of a movement, nor by a blink instead of closed eyes', () => {
    const turn = openAt(isDirection);
    const once = take(take(turn, faceAt(openMovement(turn))), faceAt('centre'));
    assert.deepEqual([once.instructions.length, openInstruction(once)?.phase], [2, 'do']);
    const eyes = openAt((movement) => movement === 'closeEyes');
    const blink = take(take(eyes, faceAt('closeEyes')), faceAt('centre'));
    assert.equal(openInstruction(blink)?.phase, 'do');
  });

  test('a challenge ends as wrong_movement when the head clearly goes elsewhere once, or a little twice', () => {
    const progress = openAt((movement) => movement === 'left');
    assert.equal(take(progress, faceAt('right')).reason, 'wrong_movement');
    const little = { yaw: 14.5, nose: 0.12 };
    const once = take(progress, faceAt('centre', little));
    assert.equal(once.state, 'OPEN');
    assert.equal(take(once, faceAt('centre', little)).reason, 'wrong_movement');
  });

  test('a challenge continues when a movement is made with the head a little aside, and ends if only the head is aside', () => {
    for (const movement of ['openMouth', 'closeEyes'] as const) {
      const progress = openAt((asked) => asked === movement);
      const face = faceAt(movement, { yaw: 14.5, nose: 0.12 });
      const done = [face, face, face].reduce((all, observation) => take(all, { ...observation }), progress);
      assert.equal(openInstruction(done)?.phase, 'return', movement);
      const aside = faceAt('centre', { yaw: 14.5, nose: 0.12 });
      assert.equal(take(take(progress, aside), aside).reason, 'wrong_movement', movement);
    }
  });

  test('a challenge continues while a head that turns to the requested side also rises, but does not count that', () => {
    const progress = openAt((asked) => asked === 'left');
    const aslant = faceAt('left', { pitch: 24 });
    const after = take(take(progress, aslant), aslant);
    assert.deepEqual([after.state, openInstruction(after)?.phase], ['OPEN', 'do']);
    const elsewhere = faceAt('right', { pitch: 24 });
    assert.equal(take(progress, elsewhere).reason, 'wrong_movement');
  });

  test('a challenge goes on when the head turns so far to the requested side that the pose network reads another direction', () => {
    const jumped = { yaw: -14, pitch: 32 };
    const progress = openAt((movement) => movement === 'right');
    const profile = take(progress, faceAt('centre', { ...jumped, nose: 1.2 }));
    assert.equal(profile.state, 'OPEN');
    assert.equal(take(profile, faceAt('centre', { ...jumped, nose: 1.2 })).state, 'OPEN');
    for (const nose of [0.02, CHALLENGE_LIMITS.profileNose - 0.01, -1.2])
      assert.equal(take(progress, faceAt('centre', { ...jumped, nose })).reason, 'wrong_movement', `${nose}`);
    const other = openAt((movement) => movement === 'left');
    assert.equal(take(other, faceAt('right', { nose: 1.2 })).reason, 'wrong_movement');
  });

  test('a challenge takes a yaw that the nose does not show for no turn: of a bowed or hidden face the network reads any yaw', () => {
    const bowed = faceAt('down', { yaw: -63, pitch: -26 });
    const down = openAt((movement) => movement === 'down');
    assert.equal(openInstruction(take(take(down, bowed), { ...bowed }))?.phase, 'return');
    const hidden = { yaw: 29 };
    const left = openAt((movement) => movement === 'left');
    const after = take(take(left, faceAt('centre', hidden)), faceAt('centre', hidden));
    assert.deepEqual([after.state, openInstruction(after)?.phase], ['OPEN', 'do']);
    const right = openAt((movement) => movement === 'right');
    const flat = take(take(right, faceAt('right', { nose: 0.05 })), faceAt('right', { nose: 0.05 }));
    assert.equal(openInstruction(flat)?.phase, 'do');
    assert.equal(take(take(left, faceAt('right')), faceAt('right')).reason, 'wrong_movement');
  });

  test('a challenge recognises a profile by the nose, and takes no face for one at rest whose nose is aside', () => {
    const misread = { nose: CHALLENGE_LIMITS.profileNose };
    const progress = openAt((movement) => movement === 'right');
    const turned = take(take(progress, faceAt('centre', misread)), faceAt('centre', misread));
    assert.equal(openInstruction(turned)?.phase, 'return');
    const back = take(turned, faceAt('centre'));
    assert.equal(back.instructions.length, turned.instructions.length + 1);
    const aside = { nose: CHALLENGE_LIMITS.restNose + 0.02 };
    for (const movement of ['down', 'closeEyes'] as const) {
      const open = openAt((each) => each === movement);
      const afterMovement = obey(open, (each) => openInstruction(each)?.phase === 'return');
      const numInstructions = take(afterMovement, faceAt('centre', aside)).instructions.length;
      assert.equal(numInstructions, afterMovement.instructions.length, movement);
    }
    let mouth = openAt((movement) => movement === 'openMouth');
    for (let frames = 0; frames < 3; frames += 1) mouth = take(mouth, faceAt('openMouth', aside));
    assert.equal(openInstruction(mouth)?.phase, 'do');
  });

  test('a challenge ends as wrong_movement when the mouth opens or the eyes stay closed without a request', () => {
    const progress = openAt((movement) => movement === 'left');
    assert.equal(take(take(progress, faceAt('openMouth')), faceAt('openMouth')).reason, 'wrong_movement');
    const blink = take(take(progress, faceAt('closeEyes')), faceAt('closeEyes'));
    assert.equal(blink.state, 'OPEN');
    assert.equal(take(blink, faceAt('closeEyes')).reason, 'wrong_movement');
  });

  test('a challenge continues when the eyes seem closed while the head is turned', () => {
    let turned = openAt((movement) => movement === 'left');
    // The head is on its way to the requested side, with an open mouth or not far enough to be recognised.
    const onTheWay = { yaw: -10.5, nose: -0.05, eyesOpen: 0.02, lids: 0.18 };
    for (let frames = 0; frames < 4; frames += 1) turned = take(turned, faceAt('left', onTheWay));
    assert.equal(turned.state, 'OPEN');
  });

  test('a challenge continues when the eyes stay closed on the way back', () => {
    const progress = obey(
      openAt((movement) => movement === 'left'),
      (each) => openInstruction(each)?.phase === 'return',
    );
    let after = progress;
    for (let frames = 0; frames < 4; frames += 1) after = take(after, faceAt('closeEyes'));
    assert.deepEqual([after.state, openInstruction(after)?.phase], ['OPEN', 'return']);
  });

  test('a challenge continues with a person whose open eyes the network does not recognise as open', () => {
    const behindGlasses = { eyesOpen: 0.4 };
    let progress = start();
    for (let tries = 0; tries < 500 && openMovement(progress) !== 'left'; tries += 1) {
      progress = take(take(start(), faceAt('centre', behindGlasses)), faceAt('centre', behindGlasses));
    }
    for (let frames = 0; frames < 4; frames += 1) progress = take(progress, faceAt('closeEyes'));
    assert.deepEqual([progress.state, openMovement(progress)], ['OPEN', 'left']);
  });

  test('a challenge is not completed by a film that sweeps through all movements, however it is timed', () => {
    const sweep: Movement[] = ['left', 'right', 'up', 'down', 'closeEyes', 'openMouth'];
    for (const held of [1, 2, 3]) {
      for (let times = 0; times < 100; times += 1) {
        let progress = obey(start(), ({ instructions }) => instructions.length === 2);
        for (let frame = 0; frame < 90 && progress.state === 'OPEN'; frame += 1) {
          const movement = sweep[Math.floor(frame / (held + 1)) % sweep.length] as Movement;
          progress = take(
            expire(progress, clockOf(progress)),
            faceAt(frame % (held + 1) === held ? 'centre' : movement),
          );
        }
        assert.notEqual(progress.state, 'DONE', `held for ${held}`);
      }
    }
  });

  test('a challenge is not completed by a film of another sequence', () => {
    let done = 0;
    for (let times = 0; times < 400; times += 1) {
      const film = obey(start(), () => false).frames.map(({ observation }) => observation);
      let progress = start();
      for (const observation of film) if (progress.state === 'OPEN') progress = take(progress, { ...observation });
      if (progress.state === 'DONE') done += 1;
    }
    assert.ok(done <= 4, `${done} of 400`);
  });

  test('a challenge does not accept combined movements: a turned head with an open mouth shows neither', () => {
    for (const wanted of ['left', 'openMouth', 'closeEyes'] as const) {
      let progress = openAt((movement) => movement === wanted);
      for (let frames = 0; frames < 8; frames += 1) {
        progress = take(progress, faceAt('left', { mouth: 0.42, jaw: 1.2, eyesOpen: 0.02, lids: 0.18, nose: -0.17 }));
      }
      assert.equal(progress.instructions.length, 2);
      assert.notEqual(openInstruction(progress)?.phase, 'return');
    }
  });

  test('a challenge ends as too_quick when a turn comes sooner than anybody can react', () => {
    const progress = openAt(isDirection);
    const at = (openInstruction(progress)?.revealedAt ?? 0) + CHALLENGE_LIMITS.reactionMs - 1;
    assert.equal(take(progress, faceAt(openMovement(progress)), at).reason, 'too_quick');
  });

  test('a challenge ends as too_slow after the time of an instruction, and of the whole', () => {
    const progress = start();
    assert.equal(expire(progress, CHALLENGE_LIMITS.instructionMs).state, 'OPEN');
    assert.equal(expire(progress, CHALLENGE_LIMITS.instructionMs + 1).reason, 'too_slow');
    const late = { ...openAt(isDirection), startedAt: -CHALLENGE_LIMITS.challengeMs };
    assert.equal(expire(late, 5000).reason, 'too_slow');
  });

  test('a challenge ends when somebody else is beside the person, when the face is lost, and after too many frames', () => {
    const progress = openAt(isDirection);
    const beside = take(take(progress, faceAt('centre', { faces: 2 })), faceAt('centre', { faces: 2 }));
    assert.equal(beside.reason, 'several_faces');
    let lost = progress;
    for (let frames = 0; frames < CHALLENGE_LIMITS.framesWithoutFace; frames += 1) {
      lost = take(lost, { faces: 0, width: 480, height: 360 });
    }
    assert.equal(lost.reason, 'face_lost');
    let many = progress;
    for (let frames = 0; frames <= CHALLENGE_LIMITS.framesPerInstruction; frames += 1) {
      many = take(many, faceAt('centre'), (openInstruction(progress)?.revealedAt ?? 0) + 300 + frames);
    }
    assert.equal(many.reason, 'too_many_frames');
  });

  test('a challenge begins with a face that looks ahead, holds still, and is good enough for a selfie', () => {
    const hintOf = (observation: ReturnType<typeof faceAt>) =>
      followChallenge(start(), arrived(300, observation), randomBytes).hint;
    assert.equal(hintOf(faceAt('left', { yaw: -25 })), 'look_ahead');
    assert.equal(hintOf(faceAt('openMouth')), 'close_mouth');
    assert.equal(hintOf(faceAt('centre', { reasons: ['too_dark'] })), 'too_dark');
    assert.equal(hintOf(faceAt('centre')), 'hold_still');
  });

  test('a challenge counts the same picture once', () => {
    const frame = arrived(300, faceAt('centre'));
    const once = followChallenge(start(), frame, randomBytes).progress;
    const twice = followChallenge(once, { ...frame, at: 600 }, randomBytes).progress;
    assert.deepEqual([twice.frames.length, twice.instructions.length], [1, 1]);
  });

  test('a challenge embeds the first face that shows the movement, then the face at rest, and no others', () => {
    const wants = (progress: ChallengeProgress, movement: Movement) =>
      wantedRole(faceAt(movement), wantedFrame(progress)) !== undefined;
    const placed = take(start(), faceAt('centre'));
    assert.deepEqual([wants(start(), 'centre'), wants(placed, 'centre'), wants(placed, 'right')], [false, true, false]);
    const turning = openAt((movement) => movement === 'right');
    assert.deepEqual([wants(turning, 'centre'), wants(turning, 'right')], [false, true]);
    const turned = take(turning, faceAt('right'));
    assert.equal(wants(turned, 'right'), false);
    const returning = take(turned, faceAt('right'));
    assert.deepEqual([wants(returning, 'centre'), wants(returning, 'right')], [true, false]);
  });

  test('a challenge waits for a person who moves too far to be recognised, and says so', () => {
    const tooFar = { vector: vectorNear(0.2) };
    for (const movement of ['right', 'down'] as const) {
      let turned = openAt((each) => each === movement);
      for (let frames = 0; frames < 4; frames += 1) {
        const step = followChallenge(turned, arrived(clockOf(turned), faceAt(movement, tooFar)), randomBytes);
        assert.equal(step.hint, frames === 0 ? undefined : 'too_far');
        turned = step.progress;
      }
      assert.deepEqual([turned.state, openInstruction(turned)?.phase], ['OPEN', 'do']);
      assert.deepEqual(wantedFrame(turned).roles, ['shown']);
      const less = followChallenge(turned, arrived(clockOf(turned), faceAt(movement)), randomBytes);
      assert.deepEqual([openInstruction(less.progress)?.phase, less.hint], ['return', undefined]);
      assert.deepEqual(wantedFrame(less.progress).roles, ['centre']);
    }
  });

  test('a challenge does not advance by a face that was not embedded, so that parallel frames cannot hide another person', () => {
    const turning = openAt((movement) => movement === 'right');
    const unknown = { vector: null };
    assert.equal(take(take(start(), faceAt('centre')), faceAt('centre', unknown)).neutral, null);
    const turned = take(take(turning, faceAt('right', unknown)), faceAt('right', unknown));
    assert.equal(openInstruction(turned)?.phase, 'do');
    const returning = take(turned, faceAt('right'));
    assert.equal(openInstruction(returning)?.phase, 'return');
    const hidden = take(returning, faceAt('centre', unknown));
    assert.equal(hidden.instructions.length, returning.instructions.length);
    assert.equal(take(hidden, faceAt('centre')).instructions.length, returning.instructions.length + 1);
  });

  test('a challenge without image analysis advances by two frames for each movement', () => {
    let progress = start();
    let frames = 0;
    for (; progress.state === 'OPEN'; frames += 1) progress = followBlindly(progress, frames * 600, randomBytes);
    assert.equal(frames, progress.total * 2);
  });
});
