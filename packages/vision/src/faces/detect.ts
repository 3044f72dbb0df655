import type { Raster } from '../images/raster.ts';
import { type Box, resizeBox, toPlanes } from '../images/sample.ts';
import type { RunModel } from '../models.ts';

export type FaceBox = Box & { readonly confidence: number };

/** The number of faces is counted up to this. */
export const MAX_FACES = 50;
const INPUT = { width: 320, height: 240 };
const SCALE = 1 / 128;
const SHIFT = -127 / 128;
const FORMULA = { order: 'rgb', scale: [SCALE, SCALE, SCALE], shift: [SHIFT, SHIFT, SHIFT] } as const;
/** A face with this confidence is accepted at the first look; */
const CONFIDENT = 0.6;
/** below it, a second look must find it as well, both with at least this confidence. */
const DOUBTFUL = 0.25;
/** The second look adds a margin: a face that fills the whole picture is larger than any the model was trained on. */
const SECOND_LOOK_SHARE = 0.6;
/** Two boxes that share more than this of their union are one face. */
const SAME_FACE_OVERLAP = 0.3;

/** All faces, the most confident first. */
export async function detectFaces(raster: Raster, run: RunModel): Promise<FaceBox[]> {
  const first = await look(raster, run, 1);
  const sure = first.filter(({ confidence }) => confidence >= CONFIDENT);
  if (sure.length === 1) return sure;
  const second = await look(raster, run, SECOND_LOOK_SHARE);
  if (sure.length > 1) {
    // A plant may look like a face at one size, but not at another one. People look like faces at both.
    const confirmed = sure.filter((face) => isAmong(face, second));
    return confirmed.length > 0 ? confirmed : sure;
  }
  const sureNow = second.filter(({ confidence }) => confidence >= CONFIDENT);
  if (sureNow.length > 0) return sureNow;
  return first.filter((face) => isAmong(face, second));
}

function isAmong(face: FaceBox, faces: readonly FaceBox[]): boolean {
  return faces.some((other) => overlap(face, other) > SAME_FACE_OVERLAP);
}

/** The faces that a single look is certain of. */
export async function findSureFaces(raster: Raster, run: RunModel): Promise<FaceBox[]> {
  return (await look(raster, run, 1)).filter(({ confidence }) => confidence >= CONFIDENT);
}

/** Runs the model with the picture in the middle of its input, at the share `share` of it and undistorted. */
async function look(raster: Raster, run: RunModel, share: number): Promise<FaceBox[]> {
  const scale = share * Math.min(INPUT.width / raster.width, INPUT.height / raster.height);
  const width = Math.max(1, Math.round(raster.width * scale));
  const height = Math.max(1, Math.round(raster.height * scale));
  const left = Math.floor((INPUT.width - width) / 2);
  const top = Math.floor((INPUT.height - height) / 2);
  const whole = { left: 0, top: 0, right: raster.width, bottom: raster.height };
  const fitted = resizeBox(raster, whole, { width, height });
  // The padding is grey, which the formula turns into 0.
  const [scores, boxes] = await run(toPlanes(fitted, FORMULA, { ...INPUT, left, top }));
  if (!scores || !boxes) throw new Error('the detector gave no boxes');
  const candidates: FaceBox[] = [];
  for (let at = 0; at < scores.length / 2; at += 1) {
    const confidence = scores[at * 2 + 1] as number;
    if (confidence < DOUBTFUL) continue;
    const x = (corner: number) => (((boxes[at * 4 + corner] as number) * INPUT.width - left) * raster.width) / width;
    const y = (corner: number) => (((boxes[at * 4 + corner] as number) * INPUT.height - top) * raster.height) / height;
    candidates.push({ left: x(0), top: y(1), right: x(2), bottom: y(3), confidence });
  }
  return withoutDoubles(candidates.filter((box) => box.right > box.left && box.bottom > box.top));
}

/** Keeps the most confident of those that overlap. */
function withoutDoubles(boxes: FaceBox[]): FaceBox[] {
  const distinct: FaceBox[] = [];
  for (const box of boxes.sort((one, other) => other.confidence - one.confidence)) {
    if (distinct.length === MAX_FACES) break;
    if (distinct.every((each) => overlap(each, box) <= SAME_FACE_OVERLAP)) distinct.push(box);
  }
  return distinct;
}

/** The share of the union of two boxes that both cover. */
export function overlap(one: Box, other: Box): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / (area(one) + area(other) - width * height);
}

export function area({ left, top, right, bottom }: Box): number {
  return (right - left) * (bottom - top);
}

/**
 * The main face of the picture: large, and near its middle. Of two faces of one size the nearer to the middle wins; a
 * face at the edge must be several times larger than one in the middle.
 */
export function mainFace(
  faces: readonly FaceBox[],
  { width, height }: { width: number; height: number },
): FaceBox | null {
  let best: FaceBox | null = null;
  let bestWeight = -1;
  for (const face of faces) {
    const dx = ((face.left + face.right) / 2 - width / 2) / width;
    const dy = ((face.top + face.bottom) / 2 - height / 2) / height;
    const weight = area(face) * Math.exp(-(dx * dx + dy * dy) * CENTRE_PULL);
    if (weight > bestWeight) {
      best = face;
      bestWeight = weight;
    }
  }
  return best;
}

/** At a quarter of the picture from the middle, a face counts a fifth of its size. */
const CENTRE_PULL = 25;
