import { halved } from '../images/halve.ts';
import type { Raster } from '../images/raster.ts';
import type { Box, Size } from '../images/sample.ts';
import type { RunModel } from '../models.ts';
import { area, detectFaces, findSureFaces } from './detect.ts';

type PortraitBox = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** The portrait of a passport is a tenth of the page, which is small for a detector that sees 320 pixels of it. */
const PART = 0.6;
/** A face of this share of the page's height is the portrait; ghosts are half of that. */
const LEAST_PORTRAIT = 0.22;
const CORNERS: readonly (readonly [number, number])[] = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
];

/**
 * Finds the portrait of a straightened document: the largest face, not the small ghost image that many documents have
 * beside it. If the whole page shows none, overlapping quarters are searched.
 */
export async function findPortrait(image: Raster, detect: RunModel): Promise<PortraitBox | undefined> {
  // The detector sees a third of the page's pixels, so half of them are more than enough.
  const whole = largest(await detectFaces(halved(image), detect));
  if (whole)
    return toPortraitBox({
      left: 2 * whole.left,
      top: 2 * whole.top,
      right: 2 * whole.right,
      bottom: 2 * whole.bottom,
    });
  const size = { width: Math.ceil(image.width * PART), height: Math.ceil(image.height * PART) };
  const faces: Box[] = [];
  for (const [right, bottom] of CORNERS) {
    const left = right * (image.width - size.width);
    const top = bottom * (image.height - size.height);
    const face = largest(await findSureFaces(cut(image, { left, top }, size), detect));
    if (face) {
      const { left: x, top: y, right: toX, bottom: toY } = face;
      faces.push({ left: x + left, top: y + top, right: toX + left, bottom: toY + top });
      if (toY - y >= LEAST_PORTRAIT * image.height) break;
    }
  }
  const best = largest(faces);
  return best && toPortraitBox(best);
}

function cut({ data, width: across }: Raster, { left, top }: { left: number; top: number }, size: Size): Raster {
  const part = new Uint8Array(size.width * size.height * 3);
  for (let row = 0; row < size.height; row += 1) {
    const from = ((top + row) * across + left) * 3;
    part.set(data.subarray(from, from + size.width * 3), row * size.width * 3);
  }
  return { ...size, data: part };
}

function largest<Each extends Box>(boxes: readonly Each[]): Each | undefined {
  return boxes.toSorted((one, other) => area(other) - area(one))[0];
}

function toPortraitBox({ left, top, right, bottom }: Box): PortraitBox {
  return { x: left, y: top, width: right - left, height: bottom - top };
}
