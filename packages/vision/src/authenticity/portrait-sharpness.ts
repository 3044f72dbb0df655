import { apply, homography, type Quad, rectangle } from '../images/geometry.ts';
import type { Raster } from '../images/raster.ts';

/** An area of the document, in shares of its width and height. */
type DocumentArea = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** An edge is three steps from pixel to pixel that rise by this much, between two flat places. */
const MIN_RISE = 40;
/** The rise that is allowed before and after it, as a share of the edge. */
const FLAT = 0.12;
/** The middle step of an even slope is a third of the edge; more than all of it is noise. */
const [LEAST_STEP, MOST_STEP] = [0.34, 1.2];
/** With fewer edges there is no result. */
const MIN_INSIDE = 200;
const MIN_OUTSIDE = 1000;
const SHARPEST = 0.9;
/** The margin of the document, whose own border is an edge. */
const RIM = 0.03;

/**
 * How much sharper the portrait is than the print: the difference in the share of an edge that is between two pixels,
 * among the sharpest tenth of the edges. The lens blurs both alike, and no portrait is printed sharper than letters; an
 * inserted one was not photographed by the lens. Undefined with too few edges.
 */
export function portraitSharpness(image: Raster, quad: Quad, face: DocumentArea): number | undefined {
  const steps: Record<Region, number[]> = { inside: [], outside: [] };
  const { width, height } = image;
  const toDocument = homography(quad, rectangle(1, 1));
  const [left, right] = bounds(
    quad.map(({ x }) => x),
    width,
  );
  const [top, bottom] = bounds(
    quad.map(({ y }) => y),
    height,
  );
  for (let y = top; y < bottom; y += 1) {
    for (const { x, step } of edgesOfRow(image, y, left, right)) {
      const region = regionOf(apply(toDocument, { x, y }), face);
      if (region) steps[region].push(step);
    }
  }
  const { inside, outside } = steps;
  if (inside.length < MIN_INSIDE || outside.length < MIN_OUTSIDE) return undefined;
  return sharpestOf(inside) - sharpestOf(outside);
}

type Region = 'inside' | 'outside';

function edgesOfRow({ width, data }: Raster, y: number, left: number, right: number): { x: number; step: number }[] {
  const edges: { x: number; step: number }[] = [];
  for (let x = left; x < right; x += 1) {
    const across = middleStep(data, y * width + x, 1);
    const down = middleStep(data, y * width + x, width);
    if (across !== NO_EDGE) edges.push({ x, step: across });
    if (down !== NO_EDGE) edges.push({ x, step: down });
  }
  return edges;
}

/** Leaves room for three pixels on each side. */
function bounds(values: readonly number[], size: number): [from: number, to: number] {
  return [Math.max(3, Math.floor(Math.min(...values))), Math.min(size - 4, Math.ceil(Math.max(...values)))];
}

const NO_EDGE = 0;

/** The middle one of three steps of the green, as a share of all three. */
function middleStep(data: Uint8Array, pixel: number, apart: number): number {
  // This runs twice per pixel, so it computes only what it needs.
  const at = pixel * 3 + 1;
  const next = apart * 3;
  const before = data[at - next] as number;
  const behind = data[at + 2 * next] as number;
  const rise = behind - before;
  const most = Math.abs(rise);
  if (most < MIN_RISE) return NO_EDGE;
  if (Math.abs(before - (data[at - 2 * next] as number)) > FLAT * most) return NO_EDGE;
  if (Math.abs((data[at + 3 * next] as number) - behind) > FLAT * most) return NO_EDGE;
  const step = ((data[at + next] as number) - (data[at] as number)) / rise;
  return step < LEAST_STEP || step > MOST_STEP ? NO_EDGE : step;
}

/** Whether a point is in the portrait, away from it, or at its rim (undefined). */
function regionOf(on: { readonly x: number; readonly y: number }, face: DocumentArea): Region | undefined {
  if (Math.min(on.x, on.y, 1 - on.x, 1 - on.y) < RIM) return undefined;
  const [across, down] = [(on.x - face.x) / face.width, (on.y - face.y) / face.height];
  if (across > -0.15 && across < 1.15 && down > -0.25 && down < 1.2) return 'inside';
  return across < -0.6 || across > 1.6 || down < -0.7 || down > 1.7 ? 'outside' : undefined;
}

function sharpestOf(steps: readonly number[]): number {
  return Float64Array.from(steps).sort()[Math.floor((steps.length - 1) * SHARPEST)] as number;
}
