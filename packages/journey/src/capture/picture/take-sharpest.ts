import { brightnessAt, sharpnessOf } from '../pixels.ts';
import type { Region } from './geometry.ts';
import { draw, PICTURE_LIMITS } from './picture.ts';

/** Takes a few pictures in a row and keeps the sharpest, because hands shake. */
const SHOTS = 3;
const BETWEEN_MS = 70;
/** The side of the square in the middle of the picture that is compared at full size. */
const COMPARED = 360;

export async function takeSharpest(video: HTMLVideoElement, region: Region): Promise<HTMLCanvasElement> {
  let best = draw(video, region, PICTURE_LIMITS.longEdge);
  let bestSharpness = sharpnessIn(best);
  for (let shot = 1; shot < SHOTS; shot += 1) {
    await new Promise((done) => setTimeout(done, BETWEEN_MS));
    const next = draw(video, region, PICTURE_LIMITS.longEdge);
    const sharpness = sharpnessIn(next);
    if (sharpness <= bestSharpness) continue;
    best = next;
    bestSharpness = sharpness;
  }
  return best;
}

function sharpnessIn(canvas: HTMLCanvasElement): number {
  const width = Math.min(COMPARED, canvas.width);
  const height = Math.min(COMPARED, canvas.height);
  const left = Math.floor((canvas.width - width) / 2);
  const top = Math.floor((canvas.height - height) / 2);
  const pixels = canvas.getContext('2d')?.getImageData(left, top, width, height);
  if (!pixels) return 0;
  const grey = new Float32Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) grey[y * width + x] = brightnessAt(pixels, x, y);
  }
  return sharpnessOf(grey, width, height);
}
