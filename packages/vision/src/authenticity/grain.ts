import { apply, homography, type Quad, rectangle } from '../images/geometry.ts';
import type { Green } from './green.ts';

/** Noise is measured in squares of this side, in pixels of the picture as it was taken. */
const BLOCK = 8;
/** Noise is measured in this share of the blocks, the flattest ones, because they have the least print. */
const FLAT_SHARE = 0.3;
const MIN_BLOCKS = 24;
/** Blocks that are nearly black or clipped show no noise. */
const DARKEST = 24;
const BRIGHTEST = 250;

/** The blocks of the picture that are on the document. There are thousands, so each property is one typed array. */
export type Grain = {
  readonly count: number;
  /** The middle of the block on the document, in shares of its width and height. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly light: Float32Array;
  /** The deviation of the noise, in steps of 255. */
  readonly noise: Float32Array;
  /** The change of brightness within the block: high for print, low for paper. */
  readonly slope: Float32Array;
};

export function grainOf(green: Green, quad: Quad): Grain {
  const map = homography(quad, rectangle(1, 1));
  const most = Math.ceil(green.width / BLOCK) * Math.ceil(green.height / BLOCK);
  const column = () => new Float32Array(most);
  const grain = { x: column(), y: column(), light: column(), noise: column(), slope: column() };
  let count = 0;
  for (let y = 1; y + BLOCK < green.height; y += BLOCK) {
    for (let x = 1; x + BLOCK < green.width; x += BLOCK) {
      const position = apply(map, { x: green.left + x + BLOCK / 2, y: green.top + y + BLOCK / 2 });
      if (position.x < 0.02 || position.y < 0.02 || position.x > 0.98 || position.y > 0.98) continue;
      measure(green, x, y, grain, count);
      const light = grain.light[count] as number;
      if (light <= DARKEST || light >= BRIGHTEST) continue;
      grain.x[count] = position.x;
      grain.y[count] = position.y;
      count += 1;
    }
  }
  return { count, ...grain };
}

/** Second differences along and across remove brightness and slopes; what remains in flat blocks is noise. */
function measure({ width, data }: Green, left: number, top: number, to: Omit<Grain, 'count'>, at: number): void {
  let light = 0;
  let rest = 0;
  let slope = 0;
  for (let y = top; y < top + BLOCK; y += 1) {
    const start = y * width + left;
    for (let here = start; here < start + BLOCK; here += 1) {
      const above = here - width;
      const below = here + width;
      const middle = data[here] as number;
      const before = data[here - 1] as number;
      const behind = data[here + 1] as number;
      const up = data[above] as number;
      const down = data[below] as number;
      const behindUp = data[above + 1] as number;
      const behindDown = data[below + 1] as number;
      const beforeDown = data[below - 1] as number;
      const corners = (data[above - 1] as number) + behindUp + beforeDown + behindDown;
      light += middle;
      rest += Math.abs(corners + 4 * middle - 2 * (before + behind + up + down));
      slope += Math.abs(behind - before + behindDown - beforeDown) + Math.abs(down - up + behindDown - behindUp);
    }
  }
  const pixels = BLOCK * BLOCK;
  to.light[at] = light / pixels;
  to.noise[at] = (rest / pixels / 6) * Math.sqrt(Math.PI / 2);
  to.slope[at] = slope / pixels;
}

/**
 * The noise of the flat blocks among these (or all), in steps of 255; undefined if there are too few. It is the median, or
 * the quantile `share`: a coarse JPEG leaves noise in only a part of the blocks.
 */
export function noiseOf(grain: Grain, blocks?: Int32Array, share = 0.5): number | undefined {
  const { noise, slope } = grain;
  const count = blocks ? blocks.length : grain.count;
  if (count < MIN_BLOCKS) return undefined;
  const of = (values: Float32Array): Float32Array =>
    blocks ? Float32Array.from(blocks, (block) => values[block] as number) : values.slice(0, count);
  const [slopes, noises] = [of(slope), of(noise)];
  const flattest = slopes.toSorted()[Math.ceil(count * FLAT_SHARE) - 1] as number;
  const flat = noises.filter((_, at) => (slopes[at] as number) <= flattest).sort();
  return flat[Math.floor(flat.length * share)];
}

/** The blocks for which `holds` is true. */
export function blocksWhere({ count }: Grain, holds: (block: number) => boolean): Int32Array {
  const blocks = new Int32Array(count);
  let matchCount = 0;
  for (let block = 0; block < count; block += 1) if (holds(block)) blocks[matchCount++] = block;
  return blocks.subarray(0, matchCount);
}
