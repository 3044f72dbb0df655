import { squareBox } from '../faces/landmarks.ts';
import { softmax } from '../faces/pose.ts';
import type { Raster } from '../images/raster.ts';
import { type Box, resizeBox, sampleBox, toPlanes } from '../images/sample.ts';
import type { ModelName } from '../model-names.ts';
import type { RunModel } from '../models.ts';

/** A network's estimate that the face is a living person's: 0 to 1. */
type Look = (raster: Raster, face: Box) => Promise<number>;

/** The common score is the mean of the networks. `model` names them in findings. */
export type PassiveNetworks = { readonly model: ModelName; readonly looks: readonly Look[] };

export type PassiveFinding = { readonly score: number; readonly model: ModelName };

/** The networks expect raw bytes, blue first; with red first, they take living people for printed ones. */
const FORMULA = { order: 'bgr', scale: [1, 1, 1], shift: [0, 0, 0] } as const;

/** How likely a still picture was taken of a living person: 0 to 1. It is a signal, not a proof. */
export async function passiveLiveness(
  raster: Raster,
  face: Box,
  { model, looks }: PassiveNetworks,
): Promise<PassiveFinding> {
  let sum = 0;
  for (const look of looks) sum += await look(raster, face);
  return { score: sum / looks.length, model };
}

const PACKAGED = { input: { width: 128, height: 128 }, sizeOfCrop: 2.7, liveClass: 0 };

/** The network of the npm package that has the other face networks. */
export function packagedLook(run: RunModel): Look {
  return async (raster, face) => {
    const crop = cropAround(raster, squareBox(face), PACKAGED.sizeOfCrop);
    const [output] = await run(toPlanes(resizeBox(raster, crop, PACKAGED.input), FORMULA));
    if (!output) throw new Error('the liveness model gave nothing');
    return softmax(output)[PACKAGED.liveClass] as number;
  };
}

const MINIFAS = { input: { width: 80, height: 80 }, liveClass: 1 };

/**
 * One of the pair MiniFASNet. It was trained on crops of whole pixels that were reduced without smoothing: smooth ones
 * change its scores by up to 0.3. Its answers are already shares.
 */
export function minifasLook(run: RunModel, sizeOfCrop: number): Look {
  return async (raster, face) => {
    const crop = wholePixels(cropAround(raster, face, sizeOfCrop), raster);
    const [output] = await run(toPlanes(sampleBox(raster, crop, MINIFAS.input), FORMULA));
    if (!output) throw new Error('the liveness model gave nothing');
    return output[MINIFAS.liveClass] as number;
  };
}

/** The largest crop up to this many times the face, moved inside the picture, so that there are no bare edges. */
export function cropAround({ width, height }: { width: number; height: number }, face: Box, times: number): Box {
  const faceWidth = face.right - face.left;
  const faceHeight = face.bottom - face.top;
  const scale = Math.min(times, (width - 1) / faceWidth, (height - 1) / faceHeight);
  const cropWidth = faceWidth * scale;
  const cropHeight = faceHeight * scale;
  const left = clamp((face.left + face.right - cropWidth) / 2, width - cropWidth);
  const top = clamp((face.top + face.bottom - cropHeight) / 2, height - cropHeight);
  return { left, top, right: left + cropWidth, bottom: top + cropHeight };
}

function wholePixels({ left, top, right, bottom }: Box, { width, height }: Raster): Box {
  return {
    left: Math.floor(left),
    top: Math.floor(top),
    right: Math.min(width, Math.floor(right) + 1),
    bottom: Math.min(height, Math.floor(bottom) + 1),
  };
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(value, 0), Math.max(0, most));
}
