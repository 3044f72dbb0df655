import { type Grey, toGrey } from '../images/grey.ts';
import type { Raster } from '../images/raster.ts';
import { blocksWhere, type Grain, noiseOf } from './grain.ts';
import { median } from './median.ts';

type FaceArea = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** Around a face narrower than this, in pixels, lines cannot be distinguished from letters. */
const MIN_FACE_WIDTH = 40;
/** The distance from the face in which the edge of its photograph is searched, in widths and heights of the face. */
const FARTHEST_EDGE = 0.8;
/** The part around the face that certainly belongs to the photograph. */
const PHOTOGRAPH = 0.15;
/** Between the photograph and this distance, blocks may belong to either. */
const BESIDE = 0.9;
/** Blocks of the card are compared if they are as bright as those of the photograph, within this many steps of 255. */
const SAME_LIGHT = 40;
const MIN_BLOCKS = 30;
/** Paper that is brighter is partly clipped, so that its noise is less than that of a portrait. */
const BRIGHTEST = 240;

export type PortraitSigns = {
  /**
   * The three weakest of the four straight edges around the portrait, in steps of brightness for a pixel: their geometric
   * mean; undefined if the face is small.
   */
  readonly edges: number | undefined;
  /** The share of the weakest of four straight lines around the portrait on which brightness changes; undefined if the face is small. */
  readonly frame: number | undefined;
  /** The natural logarithm of the noise in the portrait over that of the card; undefined where one cannot be measured. */
  readonly noise: number | undefined;
};

/** The signs of a portrait that was put over another: straight edges all around it, and noise of another camera. */
export function portraitSigns(straight: Raster, face: FaceArea, grain: Grain): PortraitSigns {
  const grey = toGrey(straight);
  const noise = noiseApart(straight, face, grain);
  if (face.width < MIN_FACE_WIDTH) return { edges: undefined, frame: undefined, noise };
  return { edges: edgesAround(grey, face), frame: frameAround(grey, face), noise };
}

/** One side may end in a similar colour, and one may be beside a printed line, so neither decides alone. */
function edgesAround({ width, height, data }: Grey, face: FaceArea): number {
  const at = (x: number, y: number): number => data[y * width + x] as number;
  const rows = range(face.y - 0.1 * face.height, face.y + 0.9 * face.height, 1, height - 2);
  const columns = range(face.x, face.x + face.width, 1, width - 2);
  const upright = (x: number): number => median(rows.map((y) => Math.abs(at(x + 1, y) - at(x - 1, y))));
  const level = (y: number): number => median(columns.map((x) => Math.abs(at(x, y + 1) - at(x, y - 1))));
  const [right, bottom] = [face.x + face.width, face.y + face.height];
  const across = FARTHEST_EDGE * face.width;
  const down = FARTHEST_EDGE * face.height;
  const best = (places: readonly number[], edge: (position: number) => number): number =>
    Math.max(0, ...places.map(edge));
  const sides = [
    best(range(face.x - across, face.x, 1, width - 2), upright),
    best(range(right, right + across, 1, width - 2), upright),
    best(range(face.y - down, face.y, 1, height - 2), level),
    best(range(bottom, bottom + down, 1, height - 2), level),
  ];
  const weakest = sides.sort((one, other) => one - other).slice(0, 3);
  return Math.cbrt(weakest.reduce((product, edge) => product * edge, 1));
}

/** How far below the face its photograph may end, in heights of the face: busts are longer than foreheads. */
const FARTHEST_BOTTOM = 1.1;
/** A line is searched this far beyond the face, in its widths and heights. */
const BEYOND = 0.2;
/** A change of brightness of at least this many steps of 255 is part of a line, over this many pixels. */
const MIN_CHANGE = 12;
const REACH = 2;
/** A shadow is darker than the pixels at this distance on either side. */
const SHADOW_REACH = 4;
/** If the outline is slightly wrong, the portrait is rotated by this much. */
const SLOPES = [-0.02, -0.01, 0, 0.01, 0.02] as const;

/**
 * How complete the frame of the portrait is. A stuck-on photograph ends in a straight line on each side, even if the
 * line is faint where the colours are alike; a portrait that fades into the print has none.
 */
function frameAround(grey: Grey, face: FaceArea): number {
  const { width, height } = grey;
  const [right, bottom] = [face.x + face.width, face.y + face.height];
  const [across, down] = [FARTHEST_EDGE * face.width, FARTHEST_EDGE * face.height];
  const rows = [face.y - BEYOND * face.height, bottom + BEYOND * face.height] as const;
  const columns = [face.x - BEYOND * face.width, right + BEYOND * face.width] as const;
  const upright = (from: number, to: number): number =>
    longestLine(range(from, to, SHADOW_REACH, width - 1 - SHADOW_REACH), range(...rows, 0, height - 1), grey, 1, width);
  const level = (from: number, to: number): number =>
    longestLine(
      range(from, to, SHADOW_REACH, height - 1 - SHADOW_REACH),
      range(...columns, 0, width - 1),
      grey,
      width,
      1,
    );
  return Math.min(
    upright(face.x - across, face.x),
    upright(right, right + across),
    level(face.y - down, face.y),
    level(bottom, bottom + FARTHEST_BOTTOM * face.height),
  );
}

/** The largest share of a line at one of these places, along these steps, on which brightness changes across it. */
function longestLine(
  places: readonly number[],
  steps: readonly number[],
  { data }: Grey,
  acrossBy: number,
  alongBy: number,
): number {
  const [first = 0, last = 0] = [places[0], places.at(-1)];
  let best = 0;
  for (const position of places) {
    for (const slope of SLOPES) {
      let hits = 0;
      for (let i = 0; i < steps.length; i += 1) {
        const shifted = Math.round(position + slope * (i - steps.length / 2));
        const here = Math.min(last, Math.max(first, shifted)) * acrossBy + (steps[i] as number) * alongBy;
        const change = (data[here + REACH * acrossBy] as number) - (data[here - REACH * acrossBy] as number);
        const one = data[here + SHADOW_REACH * acrossBy] as number;
        const other = data[here - SHADOW_REACH * acrossBy] as number;
        if (Math.abs(change) >= MIN_CHANGE || Math.min(one, other) - (data[here] as number) >= MIN_CHANGE) hits += 1;
      }
      if (hits > best) best = hits;
    }
  }
  return steps.length === 0 ? 0 : best / steps.length;
}

function noiseApart({ width, height }: Raster, face: FaceArea, grain: Grain): number | undefined {
  const { x, y, light } = grain;
  const isWithin = (block: number, margin: number): boolean => {
    const [dx, dy] = [margin * face.width, margin * face.height];
    const [px, py] = [(x[block] as number) * width, (y[block] as number) * height];
    return px > face.x - dx && px < face.x + face.width + dx && py > face.y - dy && py < face.y + face.height + dy;
  };
  const inside = blocksWhere(grain, (block) => (light[block] as number) < BRIGHTEST && isWithin(block, PHOTOGRAPH));
  if (inside.length < MIN_BLOCKS) return undefined;
  const lights = Float32Array.from(inside, (block) => light[block] as number).sort();
  const low = quantile(lights, 0.2) - SAME_LIGHT;
  const high = Math.min(BRIGHTEST, quantile(lights, 0.8) + SAME_LIGHT);
  const alike = blocksWhere(grain, (block) => {
    const here = light[block] as number;
    return here > low && here < high && !isWithin(block, BESIDE);
  });
  const [one, other] = [noiseOf(grain, inside), noiseOf(grain, alike)];
  return one === undefined || other === undefined ? undefined : Math.log((one + 0.1) / (other + 0.1));
}

function range(from: number, to: number, least: number, most: number): number[] {
  const [first, last] = [Math.max(least, Math.round(from)), Math.min(most, Math.round(to))];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
}

function quantile(sorted: Float32Array, share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}
