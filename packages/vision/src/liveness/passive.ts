import { squareBox } from '../faces/landmarks.ts';
import { softmax } from '../faces/pose.ts';
import type { Raster } from '../images/raster.ts';
import { type Box, resizeBox, toPlanes } from '../images/sample.ts';
import type { RunModel } from '../models.ts';

const INPUT = { width: 128, height: 128 };
/** The model wants blue first and bytes as they are; fed with red first, it calls living people printed. */
const FORMULA = { order: 'bgr', scale: [1, 1, 1], shift: [0, 0, 0] } as const;
/** The crop is this many times as large as the face: paper edges and screen frames stand around it. */
const SIZE_OF_CROP = 2.7;
const LIVE_CLASS = 0;

/** How much a still picture looks like one taken of a living person: 0 to 1. A signal, not a proof. */
export async function passiveLiveness(raster: Raster, face: Box, run: RunModel): Promise<number> {
  const [output] = await run(toPlanes(resizeBox(raster, cropAround(raster, squareBox(face)), INPUT), FORMULA));
  if (!output) throw new Error('the liveness model gave nothing');
  return softmax(output)[LIVE_CLASS] as number;
}

/** The largest crop up to 2.7 times the face, moved inside the picture rather than cut: the model knows no bare edges. */
export function cropAround({ width, height }: { width: number; height: number }, face: Box): Box {
  const faceWidth = face.right - face.left;
  const faceHeight = face.bottom - face.top;
  const scale = Math.min(SIZE_OF_CROP, (width - 1) / faceWidth, (height - 1) / faceHeight);
  const cropWidth = faceWidth * scale;
  const cropHeight = faceHeight * scale;
  const left = clamp((face.left + face.right - cropWidth) / 2, width - cropWidth);
  const top = clamp((face.top + face.bottom - cropHeight) / 2, height - cropHeight);
  return { left, top, right: left + cropWidth, bottom: top + cropHeight };
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(value, 0), Math.max(0, most));
}
