import type { PlaneFormula, Size } from '../images/sample.ts';
import { FACE_MODELS, type ModelName, modelName, SUPPLIED_MODELS } from '../model-names.ts';
import { type Calibration, FACEPLUGIN_CALIBRATION, INTEL_CALIBRATION } from './calibration.ts';
import type { FivePoints } from './landmarks.ts';

/**
 * A face pack is a network that turns a face into a vector, with its settings. Vectors of two packs cannot be compared,
 * so each has its own algorithm and calibration.
 */
export type FacePack = {
  readonly name: FacePackName;
  /**
   * Names the way from a picture to a vector: detector, alignment and network. Another way needs another name, unless
   * old and new vectors are as comparable as any, which was measured when the mirror image was added
   * (`docs/vision.md`).
   */
  readonly algorithm: string;
  readonly model: ModelName;
  readonly vectorLength: number;
  /** The size of the aligned face, and the positions of eyes, nose and mouth in it. */
  readonly input: Size;
  readonly places: FivePoints;
  readonly formula: PlaneFormula;
  /** Whether the mirror image is worth its time. */
  readonly bothWays: boolean;
  /**
   * A vector that was shorter than this before normalisation is of a partly hidden face; null if it was not measured.
   * With the default pack, one in a hundred faces of LFW is fainter; with covered eyes, every second is.
   */
  readonly faintBelow: number | null;
  readonly calibration: Calibration;
};

export const FACE_PACK_NAMES = ['faceplugin', 'intel-0095'] as const;
export type FacePackName = (typeof FACE_PACK_NAMES)[number];

const SCALE = 1 / 128;
const SHIFT = -127 / 128;

const FACEPLUGIN: FacePack = {
  name: 'faceplugin',
  algorithm: 'GROVE_FACE_512_1',
  model: modelName(FACE_MODELS.feature),
  vectorLength: 512,
  input: { width: 112, height: 112 },
  places: [
    { x: 38.29, y: 51.7 },
    { x: 73.53, y: 51.5 },
    { x: 56.03, y: 71.74 },
    { x: 41.55, y: 92.37 },
    { x: 70.73, y: 92.2 },
  ],
  formula: { order: 'rgb', scale: [SCALE, SCALE, SCALE], shift: [SHIFT, SHIFT, SHIFT] },
  bothWays: true,
  faintBelow: 2.5,
  calibration: FACEPLUGIN_CALIBRATION,
};

/** The positions are those of the model's documentation, × 128. It takes raw bytes and normalises them itself. */
const INTEL: FacePack = {
  name: 'intel-0095',
  algorithm: 'GROVE_FACE_INTEL_0095_1',
  model: modelName(SUPPLIED_MODELS.reid0095),
  vectorLength: 256,
  input: { width: 128, height: 128 },
  places: [
    { x: 40.393, y: 59.081 },
    { x: 87.376, y: 59.081 },
    { x: 64.034, y: 81.985 },
    { x: 44.732, y: 105.561 },
    { x: 83.64, y: 105.561 },
  ],
  formula: { order: 'bgr', scale: [1, 1, 1], shift: [0, 0, 0] },
  bothWays: false,
  faintBelow: null,
  calibration: INTEL_CALIBRATION,
};

const PACKS: Readonly<Record<FacePackName, FacePack>> = { faceplugin: FACEPLUGIN, 'intel-0095': INTEL };

export const DEFAULT_PACK = FACEPLUGIN;

export function facePack(name: FacePackName): FacePack {
  return PACKS[name];
}

export function packOfAlgorithm(algorithm: string): FacePack | undefined {
  return Object.values(PACKS).find((pack) => pack.algorithm === algorithm);
}
