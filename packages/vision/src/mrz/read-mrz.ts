import { type FoundQuad, findQuads } from '../documents/find-quads.ts';
import type { Raster } from '../images/raster.ts';
import { detectText, type TextBox } from '../ocr/detect-text.ts';
import { type Attempt, isPlausible, MIN_MERIT } from './decode-zone.ts';
import { findLineBlocks } from './find-lines.ts';
import { type CloserLook, lookCloser } from './look-closer.ts';
import type { MrzFinding } from './mrz-finding.ts';
import { type Budget, MAX_SEARCH_PIXELS, newBudget, readBlock } from './read-block.ts';

export type MrzReport = {
  readonly mrz: MrzFinding | undefined;
  /** The text boxes of the first look. */
  readonly boxes: readonly TextBox[];
  /** The findings of the closer look, and the rectangles that led it; undefined without one. */
  readonly closer?: CloserLook & { readonly quads: readonly FoundQuad[] };
  /** How much was passed to the reader, in pixels of strips. */
  readonly pixelsRead: number;
};

/** The side to which an image is scaled to find text. */
const SIDE = 640;

/** Finds and reads the machine readable zone of an image at any angle; also returns the text boxes. */
export async function readMrz(image: Raster): Promise<MrzReport> {
  const budget = newBudget();
  const boxes = await detectText(image, SIDE);
  const first = await readBlocks(image, boxes, budget);
  if (isPlausible(first) || budget.pixels <= 0) return { mrz: first?.finding, boxes, pixelsRead: readOf(budget) };
  const quads = findQuads(image);
  const closer = await lookCloser(image, boxes, quads);
  const second = await readBlocks(image, closer.boxes, budget);
  const best = second && second.merit > (first?.merit ?? MIN_MERIT) ? second : first;
  return {
    mrz: best?.finding,
    boxes: boxes.length === 0 ? closer.boxes : boxes,
    closer: { ...closer, quads },
    pixelsRead: readOf(budget),
  };
}

function readOf({ pixels }: Budget): number {
  return MAX_SEARCH_PIXELS - pixels;
}

/** The first block that reads as a zone; from then on it is only read better. */
async function readBlocks(image: Raster, boxes: readonly TextBox[], budget: Budget): Promise<Attempt | undefined> {
  for (const block of findLineBlocks(boxes)) {
    if (budget.pixels <= 0) return undefined;
    const attempt = await readBlock(image, block, budget);
    if (attempt && attempt.merit > MIN_MERIT) return attempt;
  }
  return undefined;
}
