import { contains, type FoundQuad } from '../documents/find-quads.ts';
import {
  apply,
  cornersOf,
  distance,
  homography,
  type Point,
  type Quad,
  rectangle,
  smallestBox,
} from '../images/geometry.ts';
import type { Raster } from '../images/raster.ts';
import { warp } from '../images/warp.ts';
import { detectText, type TextBox } from '../ocr/detect-text.ts';

/** The findings in a part of the image that was examined more closely. */
export type CloserLook = {
  /** In pixels of the image. */
  readonly boxes: readonly TextBox[];
  /** The part that was examined. */
  readonly quad: Quad;
  /** The number of network pixels for one pixel of the image. */
  readonly scale: number;
};

/** Time and memory of the network grow with the pixels (210 bytes each), so the area of its input is limited. */
const MAX_AREA = 720_000;
const MAX_SIDE = 1120;
const STRIDE = 32;
/** A rectangle counts as the document if at least this share of the text is in it. */
const MIN_TEXT_INSIDE = 0.8;
/** With fewer lines of text, the position of the document is unknown. */
const MIN_BOXES = 3;
/** The margin around the text: an overlooked zone is below it and longer. */
const MARGIN = 0.35;

/** Searches text again where the document probably is: in its rectangle, or else around the known text. */
export async function lookCloser(
  image: Raster,
  textBoxes: readonly TextBox[],
  quads: readonly FoundQuad[],
): Promise<CloserLook> {
  const quad = partOf(image, textBoxes, quads);
  const across = (distance(quad[0], quad[1]) + distance(quad[3], quad[2])) / 2;
  const down = (distance(quad[0], quad[3]) + distance(quad[1], quad[2])) / 2;
  const scale = Math.min(MAX_SIDE / Math.max(across, down), Math.sqrt(MAX_AREA / Math.max(1, across * down)));
  const [width, height] = [across, down].map((side) => Math.max(1, Math.round((side * scale) / STRIDE)) * STRIDE) as [
    number,
    number,
  ];
  const boxesInPart = await detectText(warp(image, quad, { width, height }), Math.max(width, height));
  const back = homography(rectangle(width, height), quad);
  const boxes = boxesInPart.map((box) => ({
    ...smallestBox(cornersOf(box).map((corner) => apply(back, corner))),
    score: box.score,
  }));
  return { boxes, quad, scale };
}

function partOf({ width, height }: Raster, textBoxes: readonly TextBox[], quads: readonly FoundQuad[]): Quad {
  if (textBoxes.length < MIN_BOXES) return rectangle(width, height);
  const holding = quads.find(
    ({ quad }) => textBoxes.filter(({ centre }) => contains(quad, centre)).length >= MIN_TEXT_INSIDE * textBoxes.length,
  );
  return holding?.quad ?? around(textBoxes.flatMap(cornersOf), width, height);
}

/** The upright rectangle around points with a margin, within the image. */
function around(points: readonly Point[], width: number, height: number): Quad {
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const margin = MARGIN * Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
  const [left, right] = [Math.max(0, Math.min(...xs) - margin), Math.min(width, Math.max(...xs) + margin)];
  const [top, bottom] = [Math.max(0, Math.min(...ys) - margin), Math.min(height, Math.max(...ys) + margin)];
  return [
    { x: left, y: top },
    { x: right, y: top },
    { x: right, y: bottom },
    { x: left, y: bottom },
  ];
}
