import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaceAnalysis } from './analyse.ts';
import { FACE_LIMITS } from './quality.ts';
import { faceQuality } from './rate-quality.ts';

type Change = { height?: number; highlights?: number; sharpness?: number; clipped?: number; yaw?: number };

/** Twice as good as the limits in everything that is not changed. */
function analysisOf(change: Change = {}): FaceAnalysis {
  const face = {
    box: { left: 0, top: 0, right: 300, bottom: change.height ?? 400 },
    exposure: {
      highlights: change.highlights ?? 200,
      sharpness: change.sharpness ?? 0.2,
      clipped: change.clipped ?? 0,
    },
    pose: { yaw: change.yaw ?? 0, pitch: 0, roll: 0 },
  };
  return { width: 640, height: 480, faces: 1, face: face as never, reasons: [], hints: [] };
}

test('the quality is 1 for a face far from every limit, a half at the limit of its worst measure, and 0 without a face', () => {
  assert.equal(faceQuality(analysisOf()), 1);
  const atLimit: Change[] = [
    { height: FACE_LIMITS.heightPixels },
    { highlights: FACE_LIMITS.highlights },
    { sharpness: FACE_LIMITS.sharpness },
    { clipped: FACE_LIMITS.clipped },
    { yaw: -FACE_LIMITS.yawDegrees },
  ];
  for (const change of atLimit) assert.equal(faceQuality(analysisOf(change)), 0.5, JSON.stringify(change));
  assert.equal(faceQuality({ ...analysisOf(), face: null, faces: 0 }), 0);
});

test('the quality falls with the worst measure, whatever the others are, and never below 0', () => {
  assert.ok(faceQuality(analysisOf({ yaw: 20 })) < faceQuality(analysisOf({ yaw: 10 })));
  assert.equal(faceQuality(analysisOf({ yaw: 89 })), 0);
});
