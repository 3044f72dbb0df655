import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChallengeProgress, FaceAnalysis } from '@grove/vision/light';
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

/** A vector that is as similar to the selfie as faces of one person are, and different in every frame. */
function vectorOf(frame: number): Float32Array {
  const vector = new Float32Array(LENGTH);
  vector[0] = 0.97;
  vector[2 + frame] = Math.sqrt(1 - 0.97 ** 2);
  return vector;
}

/** A challenge that was answered by turning the head to the right and back. */
function answeredChallenge(change: object = {}): ChallengeProgress {
  const observationAt = (yaw: number, at: number) => ({
    width: 480,
    height: 360,
    faces: 1,
    reasons: [],
    box: { left: 160, top: 80, right: 320, bottom: 280 },
    yaw,
    pitch: 0,
    roll: 0,
    nose: yaw / 100,
    eyesOpen: 1,
    lids: 0.3,
    mouth: 0,
    jaw: 1,
    brows: 0.3,
    points: [],
    passive: 0.95,
    vector: vectorOf(at),
    ...change,
  });
  const frames = [0, 0, 20, 22, 0].map((yaw, at) => ({
    at: at * 300,
    capturedAt: at * 300 + (at % 2),
    sha256: `${at}`,
    instruction: at < 2 ? 0 : 1,
    role: yaw === 0 ? ('centre' as const) : ('shown' as const),
    observation: observationAt(yaw, at),
  }));
  const instruction = { revealedAt: 0, phase: 'return', arrived: 3 } as const;
  return {
    state: 'DONE',
    reason: null,
    omit: [],
    total: 2,
    startedAt: 0,
    neutral: null,
    frames,
    instructions: [
      { movement: 'centre', ...instruction },
      { movement: 'right', ...instruction },
    ],
    arrived: 5,
    withoutFace: 0,
    withOthers: 0,
  };
}

const activeOf = (
  challenge: ChallengeProgress | undefined,
  { novelty = 0.03, ...more }: { novelty?: number; clientHints?: object } = {},
) => {
  const evidence = {
    selfie: analysisOf(),
    challenge,
    novelty: { median: novelty, medianBeyondPose: novelty, thirdLeast: novelty, eyes: 0.004 },
  };
  return judgeActive({ ...evidence, clientHints: undefined, ...more } as never);
};

describe('the verdict on a face', () => {
  it('the verdict on a face is the first reason against it, with a score below the threshold', () => {
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

  it('the verdict on a face is never a pass from a single picture: not live, for a human, or no attack seen', () => {
    const verdicts = [0.49, 0.5, 0.79, 0.8, 1].map((score) => judgePassive(analysisOf({}, score)));
    assert.deepEqual(
      verdicts.map(({ status, reason, advice }) => [status, reason, advice]),
      [
        ['FAILED', 'not_live', 'retry'],
        ['REVIEW', 'uncertain', 'final'],
        ['REVIEW', 'uncertain', 'final'],
        ['NOT_PERFORMED', 'no_attack_seen', 'final'],
        ['NOT_PERFORMED', 'no_attack_seen', 'final'],
      ],
    );
    assert.deepEqual([verdicts[4]?.score, verdicts[4]?.metaData?.passiveScore], [undefined, 1]);
    assert.ok(verdicts.every(({ metaData }) => metaData?.certified === false));
  });

  it('the verdict on a face is not performed for a single picture that was not analysed', () => {
    const { face } = analysisOf();
    for (const without of [null, { ...face, liveness: null } as never]) {
      const { status, reason } = judgePassive(analysisOf({ face: without }));
      assert.deepEqual([status, reason], ['NOT_PERFORMED', without ? 'no_passive_network' : 'no_face']);
    }
  });

  it('the verdict on a face goes to a human if the selfie, or the face at rest, is the same image as the portrait of the document', () => {
    const document = templateAt(1);
    assert.deepEqual(reasonsOf(judgeMatch(document, templateAt(0.98))), ['REVIEW', 'same_picture', 'final']);
    const atRest = (cosine: number) =>
      judgeMatch(document, templateAt(0.9), { rest: templateAt(cosine).vector, moving: null });
    assert.deepEqual(reasonsOf(atRest(0.98)), ['REVIEW', 'same_picture', 'final']);
    assert.equal(atRest(0.95).status, 'PASSED');
  });

  it('the verdict on a face is by the score: the same person, for a human, or another person', () => {
    const verdicts = [0.9, 0.36, 0.1].map((cosine) => judgeMatch(templateAt(1), templateAt(cosine)));
    assert.deepEqual(
      verdicts.map(({ status, reason }) => [status, reason]),
      [
        ['PASSED', undefined],
        ['REVIEW', 'uncertain'],
        ['FAILED', 'not_the_same'],
      ],
    );
  });

  it('the verdict on a face is not performed if a picture shows no face', () => {
    assert.deepEqual(judgeMatch(null, templateAt(1)).reason, 'no_face_on_document');
    assert.deepEqual(judgeMatch(templateAt(1), null).status, 'NOT_PERFORMED');
  });
});

describe('the verdict on a challenge of active liveness', () => {
  it('the verdict on a challenge of active liveness says that it was answered, with its numbers, and not that the person is alive', () => {
    const { status, reason, metaData } = activeOf(answeredChallenge());
    assert.deepEqual([status, reason], ['PASSED', 'challenge_answered']);
    assert.deepEqual([metaData?.certified, metaData?.movements], [false, ['centre', 'right']]);
    assert.match(JSON.stringify(metaData?.measures), /"novelty":0.03,/);
  });

  it('the verdict on a challenge of active liveness says that it is missing if none was answered, and is not performed without image analysis', () => {
    assert.deepEqual([activeOf(undefined).status, activeOf(undefined).reason], ['FAILED', 'challenge_missing']);
    assert.equal(activeOf({ ...answeredChallenge(), state: 'OPEN' }).reason, 'challenge_missing');
    const blind = activeOf({ ...answeredChallenge(), frames: [] });
    assert.deepEqual([blind.status, blind.reason], ['NOT_PERFORMED', 'engine_not_available']);
  });

  it('the verdict on a challenge of active liveness is a refusal with another attempt for a moved picture, and for another person', () => {
    assert.deepEqual(reasonsOf(activeOf(answeredChallenge(), { novelty: 0.001 })), ['FAILED', 'not_live', 'retry']);
    assert.deepEqual(reasonsOf(activeOf(answeredChallenge({ passive: 0.1 }))), ['FAILED', 'not_live', 'retry']);
    assert.deepEqual(reasonsOf(activeOf(answeredChallenge({ vector: vectorAt(0.1) }))), [
      'FAILED',
      'different_faces',
      'retry',
    ]);
  });

  it('the verdict on a challenge of active liveness goes to a human if it is doubtful, or if the client admits that it is no camera', () => {
    assert.deepEqual(reasonsOf(activeOf(answeredChallenge(), { novelty: 0.006 })), ['REVIEW', 'uncertain', 'final']);
    for (const [clientHints, hint] of [
      [{ cameraLabel: 'OBS Virtual Camera' }, 'virtual_camera'],
      [{ trackClass: 'CanvasCaptureMediaStreamTrack' }, 'generated_track'],
      [{ nativeGetUserMedia: false }, 'replaced_camera_function'],
      [{ automated: true }, 'automated_browser'],
    ] as const) {
      const check = activeOf(answeredChallenge(), { clientHints });
      assert.deepEqual([check.status, check.metaData?.hints], ['REVIEW', [hint]]);
    }
    const honest = { cameraLabel: 'Front Camera', trackClass: 'MediaStreamTrack', nativeGetUserMedia: true };
    assert.deepEqual(hintsOfClient(honest), []);
    assert.deepEqual(hintsOfClient(undefined), []);
  });

  it('the verdict on a challenge of active liveness compares its frames with the document as well: a morph as the selfie does not match', () => {
    const [document, morph, attacker] = [templateAt(1), templateAt(0.7), vectorAt(0.1)];
    assert.equal(judgeMatch(document, morph).status, 'PASSED');
    const { status, metaData } = judgeMatch(document, morph, { rest: attacker, moving: null });
    assert.equal(status, 'FAILED');
    assert.match(JSON.stringify(metaData?.scores), /"frames":0\.1/);
  });

  it('the verdict on a challenge of active liveness goes to a human if the face is half the victim at rest and a stranger while it moves', () => {
    const [document, morph] = [templateAt(1), templateAt(0.7)];
    const judge = (moving: number) => judgeMatch(document, morph, { rest: vectorAt(0.7), moving: vectorAt(moving) });
    assert.deepEqual([judge(0.2).status, judge(0.2).reason], ['REVIEW', 'uncertain']);
    assert.equal(judge(0.4).status, 'PASSED');
  });
});

function reasonsOf({ status, reason, advice }: { status: string; reason?: string; advice?: string }) {
  return [status, reason, advice];
}
