import type { ArrivedFrame } from '../src/liveness/follow.ts';
import type { Movement } from '../src/liveness/movements.ts';
import type { FaceObservation } from '../src/liveness/observation.ts';

/** 68 landmarks of which only the outer corners of the eyes stand where they belong, so many pixels apart. */
export function eyesApart(pixels: number): number[] {
  const points = new Array<number>(136).fill(0);
  points.splice(72, 2, 240 - pixels / 2, 150);
  points.splice(90, 2, 240 + pixels / 2, 150);
  return points;
}

/** Observations of an invented face, for tests of the conclusions from them. */
const REST: FaceObservation = {
  width: 480,
  height: 360,
  faces: 1,
  reasons: [],
  box: { left: 160, top: 80, right: 320, bottom: 280 },
  yaw: 3,
  pitch: 6,
  roll: 0,
  nose: 0.01,
  eyesOpen: 0.95,
  lids: 0.3,
  mouth: 0.02,
  jaw: 1.05,
  brows: 0.27,
  points: eyesApart(100),
  passive: 0.95,
  vector: null,
};

const SHOWN: Record<Movement, Partial<FaceObservation>> = {
  centre: {},
  left: { yaw: -15, nose: -0.17 },
  right: { yaw: 21, nose: 0.19 },
  up: { pitch: 19 },
  down: { pitch: -8 },
  closeEyes: { eyesOpen: 0.02, lids: 0.18 },
  openMouth: { mouth: 0.42, jaw: 1.2, pitch: 11 },
  closer: { box: { left: 132, top: 45, right: 348, bottom: 315 }, points: eyesApart(135) },
};

let frames = 0;

/** A unit vector that is as close to the first axis as a face to itself, and different in every frame. */
export function vectorNear(likeness = 0.97): Float32Array {
  const vector = new Float32Array(512);
  frames += 1;
  vector[0] = likeness;
  vector[1 + (frames % 500)] = Math.sqrt(1 - likeness ** 2);
  return vector;
}

/** The face during a movement, slightly different each time. */
export function faceAt(movement: Movement, change: Partial<FaceObservation> = {}): FaceObservation {
  const face = { ...REST, vector: vectorNear(), ...SHOWN[movement] };
  return { ...face, yaw: face.yaw + (frames % 3) * 0.3, ...change };
}

export function arrived(at: number, observation: ArrivedFrame['observation']): ArrivedFrame {
  frames += 1;
  return { at, capturedAt: at + (frames % 7), sha256: `${frames}`, observation };
}
