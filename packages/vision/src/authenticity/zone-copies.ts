import { apply, homography, type Point, rectangle } from '../images/geometry.ts';
import type { Raster } from '../images/raster.ts';
import { PITCH } from './zone-glyphs.ts';
import type { CellPosition, Strip } from './zone-strip.ts';

/** A digit of a zone and its position in the picture. */
type Cell = { readonly digit: string; readonly centre: Point };

/** Smaller digits cannot be compared. */
const MIN_PITCH = 10;
/** The compared area around the centre of a digit, in shares of the distance between digits. */
const [REACH_ACROSS, REACH_DOWN] = [0.42, 0.6];
/** How far the true centre of a digit may be from the found one, in the same shares, and the step of the search. */
const STRAYS = 0.14;
const FINENESS = 28;
/** The maximum number of pairs of equal digits that are compared in a zone. */
const MAX_PAIRS = 250;
/** An area with less change from pixel to pixel holds no digit. */
const MIN_SLOPE = 2;

/**
 * How much the two most alike digits of a line differ, in pixels. Two equal printed digits never have the same position
 * on the camera's pixels, and each has its own noise; a digit that was copied within the picture has neither.
 */
export function leastDifference(image: Raster, strip: Strip, positions: readonly CellPosition[], text: string) {
  const toImage = homography(rectangle(strip.width, strip.height), strip.quad);
  const cells = positions.flatMap(({ x, y, scale }, index): Cell[] => {
    const digit = text[index] as string;
    if (!/\d/.test(digit)) return [];
    return [{ digit, centre: apply(toImage, { x: x + PITCH / 2, y: y + (PITCH / 2) * scale }) }];
  });
  const [start, end] = [apply(toImage, { x: 0, y: 0 }), apply(toImage, { x: strip.width, y: 0 })];
  const pitch = (Math.hypot(end.x - start.x, end.y - start.y) * PITCH) / strip.width;
  if (pitch < MIN_PITCH) return undefined;
  const pairs = cells.flatMap((one, i) =>
    cells.slice(i + 1).flatMap((other) => (one.digit === other.digit ? [[one, other] as const] : [])),
  );
  const differences = pairs.slice(0, MAX_PAIRS).flatMap(([one, other]) => differenceOf(image, one, other, pitch) ?? []);
  return differences.length === 0 ? undefined : Math.min(...differences);
}

type Window = { readonly x: number; readonly y: number; readonly across: number; readonly down: number };
type Shift = { readonly x: number; readonly y: number };

/** The difference at the best shift by whole pixels, divided by how much the digit changes from pixel to pixel. */
function differenceOf(image: Raster, one: Cell, other: Cell, pitch: number): number | undefined {
  const strays = Math.max(3, Math.round(STRAYS * pitch));
  const window: Window = {
    x: Math.round(one.centre.x),
    y: Math.round(one.centre.y),
    across: Math.round(REACH_ACROSS * pitch),
    down: Math.round(REACH_DOWN * pitch),
  };
  const middle = { x: Math.round(other.centre.x) - window.x, y: Math.round(other.centre.y) - window.y };
  if (
    !isInside(image, window, strays) ||
    !isInside(image, { ...window, x: window.x + middle.x, y: window.y + middle.y }, strays)
  ) {
    return undefined;
  }
  const coarse = Math.max(1, Math.round(pitch / FINENESS));
  let best = { shift: middle, squares: Number.POSITIVE_INFINITY };
  const search = (around: Shift, reach: number, step: number, every: number): void => {
    best = { ...best, squares: Number.POSITIVE_INFINITY };
    for (let y = around.y - reach; y <= around.y + reach; y += step) {
      for (let x = around.x - reach; x <= around.x + reach; x += step) {
        const squares = meanSquare(image, window, { x, y }, every);
        if (squares < best.squares) best = { shift: { x, y }, squares };
      }
    }
  };
  search(middle, strays, coarse, 2 * coarse);
  search(best.shift, coarse, 1, 1);
  const slope = slopeIn(image, window);
  return slope < MIN_SLOPE ? undefined : Math.sqrt(best.squares) / slope;
}

function isInside({ width, height }: Raster, { x, y, across, down }: Window, strays: number): boolean {
  // Leaves room for one more pixel on each side for the slope, and two for the search.
  const [right, below] = [across + strays + 3, down + strays + 3];
  return x >= right && y >= below && x < width - right && y < height - below;
}

/** The mean square difference of the green of two windows, at every `every` pixels. */
function meanSquare({ width, data }: Raster, { x: left, y: top, across, down }: Window, shift: Shift, every: number) {
  const apart = 3 * (shift.y * width + shift.x);
  let [sum, count] = [0, 0];
  for (let y = top - down; y <= top + down; y += every) {
    for (let at = 3 * (y * width + left - across) + 1; at <= 3 * (y * width + left + across) + 1; at += 3 * every) {
      const difference = (data[at] as number) - (data[at + apart] as number);
      sum += difference * difference;
      count += 1;
    }
  }
  return sum / count;
}

/** The mean change of the green from pixel to pixel, in both directions together. */
function slopeIn({ width, data }: Raster, { x: left, y: top, across, down }: Window): number {
  let [sum, count] = [0, 0];
  for (let y = top - down; y <= top + down; y += 1) {
    for (let x = left - across; x <= left + across; x += 1) {
      const at = 3 * (y * width + x) + 1;
      const right = ((data[at + 3] as number) - (data[at - 3] as number)) / 2;
      const below = ((data[at + 3 * width] as number) - (data[at - 3 * width] as number)) / 2;
      sum += right * right + below * below;
      count += 1;
    }
  }
  return Math.sqrt(sum / count);
}
