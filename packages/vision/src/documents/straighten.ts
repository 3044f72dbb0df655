import {
  apply,
  between,
  centreOf,
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
import type { MrzFinding } from '../mrz/mrz-finding.ts';
import type { TextBox } from '../ocr/detect-text.ts';
import { STEP, upsideDown } from '../ocr/read-line.ts';
import { contains, type FoundQuad } from './find-quads.ts';

/** How the outline of a document was found. */
export type OutlineSource = 'edges' | 'zone' | 'frame';
export type Outline = { readonly quad: Quad; readonly source: OutlineSource; readonly support: number };

const WIDTH = 1000;
/** The number of strips that are read to find which way up a document without a zone is. */
const MAX_STRIPS = 5;

/** The sizes of documents in millimetres, and the position of their zone: its left and top edge, and its pitch. */
const SIZES = {
  TD1: { width: 85.6, height: 54, left: 4.7, top: 33.5, characters: 30 },
  TD2: { width: 105, height: 74, left: 6.8, top: 57, characters: 36 },
  MRVB: { width: 105, height: 74, left: 6.8, top: 57, characters: 36 },
  IDFRA: { width: 105, height: 74, left: 6.8, top: 57, characters: 36 },
  TD3: { width: 125, height: 88, left: 6.6, top: 71.5, characters: 44 },
  MRVA: { width: 120, height: 80, left: 4.1, top: 63.5, characters: 44 },
} as const;
const PITCH_MM = 2.54;
const LINE_MM = 6.35;

/**
 * The outline of the document that holds the text or the zone, with its corners in the document's reading order: by its
 * edges, or else computed from the zone, whose place ICAO 9303 fixes, or else the whole frame.
 */
export function outlineOf(
  image: Raster,
  quads: readonly FoundQuad[],
  mrz: MrzFinding | undefined,
  boxes: readonly TextBox[],
): Outline {
  const frame: Quad = [
    { x: 0, y: 0 },
    { x: image.width, y: 0 },
    { x: image.width, y: image.height },
    { x: 0, y: image.height },
  ];
  const points = mrz ? mrz.quads.map((quad) => centreOf(quad)) : boxes.map(({ centre }) => centre);
  const holding = quads.find(({ quad }) => {
    const inside = points.filter((point) => contains(quad, point)).length;
    return points.length > 0 && inside >= points.length * (mrz ? 1 : 0.4);
  });
  const match = holding ?? (points.length < 3 ? quads[0] : undefined);
  if (match) return { quad: mrz ? turnedLike(match.quad, mrz) : match.quad, source: 'edges', support: match.support };
  if (mrz) return { quad: fromZone(mrz), source: 'zone', support: 0 };
  return { quad: frame, source: 'frame', support: 0 };
}

/** Rotates the corners so that they begin where the zone's lines begin. */
function turnedLike(quad: Quad, mrz: MrzFinding): Quad {
  const line = mrz.quads[0] as Quad;
  const along = { x: line[1].x - line[0].x, y: line[1].y - line[0].y };
  let best = 0;
  let bestDot = Number.NEGATIVE_INFINITY;
  for (let turn = 0; turn < 4; turn += 1) {
    const [from, to] = [quad[turn] as Point, quad[(turn + 1) % 4] as Point];
    const dot = ((to.x - from.x) * along.x + (to.y - from.y) * along.y) / distance(from, to);
    if (dot > bestDot) [best, bestDot] = [turn, dot];
  }
  return turned(quad, best);
}

export function turned(quad: Quad, quarters: number): Quad {
  return [0, 1, 2, 3].map((i) => quad[(i + quarters) % 4]) as unknown as Quad;
}

/** Computes the outline from the first and last line, which give the two directions of the page and their scale. */
function fromZone(mrz: MrzFinding): Quad {
  const size = SIZES[mrz.format];
  const first = mrz.quads[0] as Quad;
  const last = mrz.quads.at(-1) as Quad;
  const start = between(first[0], first[3], 0.5);
  const end = between(first[1], first[2], 0.5);
  const below = between(last[0], last[3], 0.5);
  const widthMm = size.characters * PITCH_MM + 2;
  const heightMm = (mrz.lines.length - 1) * LINE_MM;
  const across = { x: (end.x - start.x) / widthMm, y: (end.y - start.y) / widthMm };
  const down = { x: (below.x - start.x) / heightMm, y: (below.y - start.y) / heightMm };
  const at = (x: number, y: number): Point => ({
    x: start.x + (x - size.left) * across.x + (y - size.top) * down.x,
    y: start.y + (x - size.left) * across.y + (y - size.top) * down.y,
  });
  return [at(0, 0), at(size.width, 0), at(size.width, size.height), at(0, size.height)];
}

/** The document seen straight on in landscape format, 1,000 pixels wide. */
export function straighten(image: Raster, quad: Quad): Raster {
  const width = (distance(quad[0], quad[1]) + distance(quad[3], quad[2])) / 2;
  const height = (distance(quad[0], quad[3]) + distance(quad[1], quad[2])) / 2;
  const scale = WIDTH / Math.max(width, height, 1);
  return warp(image, quad, {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  });
}

/** The lines of text in the image, in pixels of the straightened document. Those beside it are left out. */
export function boxesOn(straight: Raster, quad: Quad, boxes: readonly TextBox[]): TextBox[] {
  const map = homography(quad, rectangle(straight.width, straight.height));
  return boxes
    .map((box) => ({ ...smallestBox(cornersOf(box).map((corner) => apply(map, corner))), score: box.score }))
    .filter(({ centre: { x, y } }) => x > 0 && y > 0 && x < straight.width && y < straight.height);
}

/** Rotates the corners of a document without a zone so that its text is upright. */
export async function turnByText(image: Raster, outline: Outline, boxes: readonly TextBox[]): Promise<Outline> {
  const lines = boxes
    .filter(({ length, breadth }) => length > 3 * breadth)
    .sort((one, other) => other.length - one.length);
  if (lines.length === 0) return outline;
  const [from, to] = outline.quad;
  const side = distance(from, to) || 1;
  const axis = { x: (to.x - from.x) / side, y: (to.y - from.y) / side };
  const level = lines.filter(({ along }) => Math.abs(along.x * axis.x + along.y * axis.y) > 0.7).length;
  const quad = level * 2 >= lines.length ? outline.quad : turned(outline.quad, 1);
  const reading = { x: quad[1].x - quad[0].x, y: quad[1].y - quad[0].y };
  let heads = 0;
  for (const line of lines.slice(0, MAX_STRIPS)) {
    const forward = line.along.x * reading.x + line.along.y * reading.y >= 0;
    const along = forward ? line.along : { x: -line.along.x, y: -line.along.y };
    heads += (await upsideDown(stripOf(image, { ...line, along }))) > 0.5 ? 1 : -1;
  }
  return { ...outline, quad: heads > 0 ? turned(quad, 2) : quad };
}

const STRIP_HEIGHT = 48;
const MAX_STRIP_WIDTH = 1200;

/** The width of a line's strip: whole steps of the reader, so that it need not be drawn again. */
export function stripWidth({ length, breadth }: Pick<TextBox, 'length' | 'breadth'>): number {
  const idealWidth = Math.round((length * STRIP_HEIGHT) / Math.max(1, breadth) / STEP) * STEP;
  return Math.min(MAX_STRIP_WIDTH, Math.max(STRIP_HEIGHT, idealWidth));
}

/** The strip of a line of text. */
export function stripOf(image: Raster, { centre, along, length, breadth }: Omit<TextBox, 'score'>): Raster {
  const u = { x: (along.x * length) / 2, y: (along.y * length) / 2 };
  const v = { x: (-along.y * breadth) / 2, y: (along.x * breadth) / 2 };
  const quad: Quad = [
    { x: centre.x - u.x - v.x, y: centre.y - u.y - v.y },
    { x: centre.x + u.x - v.x, y: centre.y + u.y - v.y },
    { x: centre.x + u.x + v.x, y: centre.y + u.y + v.y },
    { x: centre.x - u.x + v.x, y: centre.y - u.y + v.y },
  ];
  return warp(image, quad, { width: stripWidth({ length, breadth }), height: STRIP_HEIGHT });
}
