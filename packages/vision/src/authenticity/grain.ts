import { apply, homography, type Quad, rectangle } from '../images/geometry.ts';
import type { Raster } from '../images/raster.ts';

/** Noise is measured in squares of this side, in pixels of the picture as it was taken. */
const BLOCK = 8;
/** The flattest share of the blocks: what is left there is noise, not print. */
const FLAT_SHARE = 0.3;
const MIN_BLOCKS = 24;
/** Blocks that are nearly black or clipped show no noise. */
const DARKEST = 24;
const BRIGHTEST = 240;

export type Block = {
  /** The middle of the block on the document, in shares of its width and height. */
  readonly x: number;
  readonly y: number;
  readonly light: number;
  /** The deviation of the noise, in steps of 255. */
  readonly noise: number;
  /** How much the block changes from side to side: print is high, paper is low. */
  readonly slope: number;
};

/** The blocks of the picture that lie on the document. */
export function grainOf(image: Raster, quad: Quad): Block[] {
  const map = homography(quad, rectangle(1, 1));
  const xs = quad.map(({ x }) => x);
  const ys = quad.map(({ y }) => y);
  const left = Math.max(1, Math.ceil(Math.min(...xs)));
  const right = Math.min(image.width - 1, Math.floor(Math.max(...xs)));
  const top = Math.max(1, Math.ceil(Math.min(...ys)));
  const bottom = Math.min(image.height - 1, Math.floor(Math.max(...ys)));
  const blocks: Block[] = [];
  for (let y = top; y + BLOCK < bottom; y += BLOCK) {
    for (let x = left; x + BLOCK < right; x += BLOCK) {
      const place = apply(map, { x: x + BLOCK / 2, y: y + BLOCK / 2 });
      if (place.x < 0.02 || place.y < 0.02 || place.x > 0.98 || place.y > 0.98) continue;
      const block = measure(image, x, y);
      if (block.light > DARKEST && block.light < BRIGHTEST) blocks.push({ ...place, ...block });
    }
  }
  return blocks;
}

/** Second differences along and across leave neither light nor slopes; what is left in flat places is noise. */
function measure({ width, data }: Raster, left: number, top: number): Pick<Block, 'light' | 'noise' | 'slope'> {
  let [light, rest, slope] = [0, 0, 0];
  const line = width * 3;
  for (let y = top; y < top + BLOCK; y += 1) {
    for (let x = left; x < left + BLOCK; x += 1) {
      const at = y * line + x * 3 + 1;
      const [above, below] = [at - line, at + line];
      const here = data[at] as number;
      const left = data[at - 3] as number;
      const right = data[at + 3] as number;
      const up = data[above] as number;
      const down = data[below] as number;
      const rightUp = data[above + 3] as number;
      const rightDown = data[below + 3] as number;
      const leftDown = data[below - 3] as number;
      const corners = (data[above - 3] as number) + rightUp + leftDown + rightDown;
      light += here;
      rest += Math.abs(corners + 4 * here - 2 * (left + right + up + down));
      slope += Math.abs(right - left + rightDown - leftDown) + Math.abs(down - up + rightDown - rightUp);
    }
  }
  const count = BLOCK * BLOCK;
  return { light: light / count, noise: (rest / count / 6) * Math.sqrt(Math.PI / 2), slope: slope / count };
}

/** The noise of flat places, in steps of 255; undefined where there are too few. */
export function noiseOf(blocks: readonly Block[]): number | undefined {
  if (blocks.length < MIN_BLOCKS) return undefined;
  const flat = [...blocks]
    .sort((one, other) => one.slope - other.slope)
    .slice(0, Math.ceil(blocks.length * FLAT_SHARE));
  const noises = flat.map(({ noise }) => noise).sort((one, other) => one - other);
  return noises[noises.length >> 1];
}
