import { Scanner } from 'scanic';
import type { Pixels } from '../pixels.ts';
import type { CardLook } from './judge-card.ts';
import { type Frame, measureCard, measureLight } from './measure-card.ts';
import type { Quad } from './quad.ts';

/** Finds the document in a picture and measures it. It needs a canvas that can be drawn on. */
export type CardFinder = (pixels: Pixels, frame: Frame, at: number) => Promise<CardLook>;

/** The longest side of the picture in which edges are searched. */
const EDGES_AT = 320;

export async function openCardFinder(): Promise<CardFinder> {
  // A second search with other settings would cost more than to wait for the next picture.
  const scanner = new Scanner({ mode: 'detect', maxProcessingDimension: EDGES_AT, enableDetectionCascade: false });
  await scanner.initialize();
  return async (pixels, frame, at) => {
    const image = new ImageData(new Uint8ClampedArray(pixels.data), pixels.width, pixels.height);
    const { success, corners } = await scanner.scan(image);
    const light = measureLight(pixels);
    if (!success || !corners) return { at, card: null, light };
    const quad: Quad = [corners.topLeft, corners.topRight, corners.bottomRight, corners.bottomLeft];
    return { at, card: measureCard(pixels, quad, frame), light };
  };
}
