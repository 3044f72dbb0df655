import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FaceAnalysis, Frame } from '@grove/vision/light';
import { FACE_ALGORITHM } from '@grove/vision/light';
import { hintsOfClient, judgeActive, judgeFace, judgeMatch, judgePassive } from './judge-face.ts';

const LENGTH = 512;

/** A unit vector at this cosine from the first axis. */
function vectorAt(cosine: number): Float32Array {
  const vector = new Float32Array(LENGTH);
  vector[0] = cosine;
  vector[1] = Math.sqrt(1 - cosine * cosine);
  return vector;
}
const templateAt = (cosine: number) => ({
  algorithm: FACE_ALGORITHM,
  model: { name: 'fr_feature', version: '1' },
  vector: vectorAt(cosine),
});

function analysisOf(more: Partial<FaceAnalysis> = {}, liveness = 0.9): FaceAnalysis {
  const model = { name: 'model', version: '1' };
  const face = {
    box: { left: 0, top: 0, right: 200, bottom: 250, confidence: 1, model },
    pose: { yaw: 0, pitch: 0, roll: 0, noseOffset: 0, model },
    liveness: { score: liveness, model },
    template: templateAt(1),
  };
  return { width: 640, height: 480, faces: 1, face: face as never, reasons: [], hints: [], ...more };
}

const CHALLENGE = {
  ...{ nonce: 'n', poses: ['centre', 'left'] as const, issuedAt: 0, expiresAt: 60_000, usedAt: 30_000 },
};

/** A head that goes left and back, a little differently each time. */
function turning(change: Partial<Frame> = {}): Frame[] {
  return [0, 0, -8, -20, -22, -20, -9, 0, 0, 0, 0, 0].map((yaw, at) => ({
    ...{ sha256: `${at}`, capturedAt: at * 200 + (at % 3), width: 640, height: 480, faces: 1 },
    box: { left: 200 + at, top: 100, right: 400 + at, bottom: 350 },
    ...{ yaw: yaw + at / 50, pitch: 0, noseOffset: yaw / 100, passive: 0.9, vector: vectorAt(1 - at / 1000) },
    ...change,
  }));
}

const activeOf = (frames: Frame[], selfie = analysisOf(), challenge: typeof CHALLENGE | undefined = CHALLENGE) =>
  judgeActive({ selfie, frames, challenge, clientHints: undefined });

describe('what is said of a face', () => {
  it('is the first reason against it, with a score below the threshold', () => {
    const {
      status,
      reason,
      advice,
      score = 1,
      threshold = 0,
    } = judgeFace(analysisOf({ reasons: ['too_dark', 'blurred'] }), 0.8);
    assert.deepEqual([status, reason, advice], ['FAILED', 'too_dark', 'retry']);
    assert.ok(score < threshold);
    assert.equal(judgeFace(analysisOf(), 0.8).status, 'PASSED');
  });

  it('is never passed by one picture alone: not live, for a human, or no attack seen', () => {
    const judged = [0.49, 0.5, 0.79, 0.8, 1].map((score) => judgePassive(analysisOf({}, score)));
    assert.deepEqual(
      judged.map(({ status, reason, advice }) => [status, reason, advice]),
      [
        ['FAILED', 'not_live', 'retry'],
        ['REVIEW', 'uncertain', 'final'],
        ['REVIEW', 'uncertain', 'final'],
        ['NOT_PERFORMED', 'no_attack_seen', 'final'],
        ['NOT_PERFORMED', 'no_attack_seen', 'final'],
      ],
    );
    assert.deepEqual([judged[4]?.score, judged[4]?.metaData?.passiveScore], [undefined, 1]);
    assert.ok(judged.every(({ metaData }) => metaData?.certified === false));
  });

  it('is not performed by one picture that nobody looked at', () => {
    const { face } = analysisOf();
    for (const without of [null, { ...face, liveness: null } as never]) {
      const { status, reason } = judgePassive(analysisOf({ face: without }));
      assert.deepEqual([status, reason], ['NOT_PERFORMED', without ? 'no_passive_network' : 'no_face']);
    }
  });

  it('is the same, for a human, or not the same, by the score', () => {
    const judged = [0.9, 0.36, 0.1].map((cosine) => judgeMatch(templateAt(1), templateAt(cosine)));
    assert.deepEqual(
      judged.map(({ status, reason }) => [status, reason]),
      [
        ['PASSED', undefined],
        ['REVIEW', 'uncertain'],
        ['FAILED', 'not_the_same'],
      ],
    );
  });

  it('is not performed where a picture shows no face', () => {
    assert.deepEqual(judgeMatch(null, templateAt(1)).reason, 'no_face_on_document');
    assert.deepEqual(judgeMatch(templateAt(1), null).status, 'NOT_PERFORMED');
  });
});

describe('what is said of movements before the camera', () => {
  it('is that they were made, by whom the selfie shows', () => {
    assert.equal(activeOf(turning()).status, 'PASSED', JSON.stringify(activeOf(turning())));
  });

  it('is refused where there was no challenge, or the selfie is of somebody else', () => {
    const without = judgeActive({
      selfie: analysisOf(),
      frames: turning(),
      challenge: undefined,
      clientHints: undefined,
    });
    assert.deepEqual([without.status, without.reason], ['FAILED', 'challenge_missing']);
    const stranger = turning().map((frame) => ({ ...frame, vector: vectorAt(0.1) }));
    const { status, reason, metaData } = activeOf(stranger);
    assert.deepEqual([status, reason, metaData?.reasons], ['FAILED', 'not_live', ['different_faces']]);
  });

  it('tells the end user what to do better, and nobody how to deceive better', () => {
    assert.equal(activeOf(turning().slice(0, 5)).reason, 'too_few_frames');
    assert.equal(activeOf(turning({ faces: 2 })).reason, 'several_faces');
    assert.equal(activeOf(turning({ yaw: 0, noseOffset: 0 })).reason, 'movements_not_seen');
    for (const change of [{ passive: 0.1 }, { noseOffset: 0 }]) {
      const { reason, metaData } = activeOf(turning(change));
      assert.equal(reason, 'not_live');
      assert.notDeepEqual(metaData?.reasons, []);
    }
  });

  it('notes a camera that names itself virtual, and lets it decide nothing', () => {
    assert.deepEqual(hintsOfClient({ cameraLabel: 'OBS Virtual Camera' }), ['virtual_camera']);
    assert.deepEqual(hintsOfClient({ cameraLabel: 'Front Camera' }), []);
    assert.deepEqual(hintsOfClient(undefined), []);
    const clientHints = { cameraLabel: 'ManyCam' };
    const { status, metaData } = judgeActive({
      selfie: analysisOf(),
      frames: turning(),
      challenge: CHALLENGE,
      clientHints,
    });
    assert.deepEqual([status, metaData?.hints], ['PASSED', ['virtual_camera']]);
  });
});
