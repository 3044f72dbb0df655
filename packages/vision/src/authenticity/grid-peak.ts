import { apply, type Homography, homography, type Quad, rectangle } from '../images/geometry.ts';
import type { Green } from './green.ts';
import { excessesOf, FIRST_ROW, HALF, SIZE } from './spectrum.ts';

/** Patches in rows and columns of the document. Two are transformed at once, so their number is even. */
const ACROSS = 4;
const DOWN = 2;
/** Frequencies below this many waves in a patch belong to the print itself, not to how the document was made. */
const MIN_WAVES = 24;
/** JPEG blocks repeat every 8 pixels, so frequencies at or near that period are ignored. */
const JPEG_STEP = SIZE / 8;
const JPEG_MARGIN = 2;
/** The highest frequencies are ignored: they have too few neighbours to be compared with. */
const MAX_WAVES = HALF - 8;

/** For each row or column of the spectrum, whether JPEG alone may cause a peak there. */
const JPEG = Uint8Array.from({ length: SIZE }, (_, at) => {
  const rest = Math.abs(at - HALF) % JPEG_STEP;
  return Math.min(rest, JPEG_STEP - rest) <= JPEG_MARGIN ? 1 : 0;
});
const WINDOW = Float64Array.from({ length: SIZE }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / SIZE));

export type GridSigns = {
  /** The median over the patches of their highest peak, wherever in the spectrum it lies. */
  readonly peak: number;
  /** The highest mean of all patches at one and the same frequency of the document. */
  readonly shared: number;
};

/**
 * How far one frequency stands above its surroundings, as a difference of natural logarithms of power. The pixels of a
 * screen, the beat between them and the camera's, and the dots of a printer all are such frequencies, everywhere on the
 * document; fine print is one here and there. Undefined where the picture is too small.
 */
export function gridSigns(green: Green, quad: Quad): GridSigns | undefined {
  const bounds = boundsOf(quad, green);
  if (bounds.width < SIZE || bounds.height < SIZE) return undefined;
  const places = Array.from({ length: ACROSS * DOWN }, (_, i) => ({
    left: Math.round(bounds.left + ((bounds.width - SIZE) * (i % ACROSS)) / (ACROSS - 1)),
    top: Math.round(bounds.top + ((bounds.height - SIZE) * Math.floor(i / ACROSS)) / (DOWN - 1)),
  }));
  const excesses: Float64Array[] = [];
  for (let i = 0; i < places.length; i += 2) {
    excesses.push(...excessesOf(patch(green, places[i] as PatchCorner), patch(green, places[i + 1] as PatchCorner)));
  }
  const peaks = excesses.map(cleanAndPeak).sort((one, other) => one - other);
  return { peak: peaks[peaks.length >> 1] as number, shared: sharedPeak(excesses, places, quad) };
}

type PatchCorner = { readonly left: number; readonly top: number };

/** The rectangle inside the outline, without a tenth at each side, so that it holds hardly any table. */
function boundsOf(quad: Quad, green: Green) {
  const xs = quad.map(({ x }) => x).sort((one, other) => one - other) as [number, number, number, number];
  const ys = quad.map(({ y }) => y).sort((one, other) => one - other) as [number, number, number, number];
  const left = Math.max(green.left, xs[0] * 0.7 + xs[3] * 0.03 + xs[1] * 0.27);
  const right = Math.min(green.left + green.width, xs[3] * 0.7 + xs[0] * 0.03 + xs[2] * 0.27);
  const top = Math.max(green.top, ys[0] * 0.7 + ys[3] * 0.03 + ys[1] * 0.27);
  const bottom = Math.min(green.top + green.height, ys[3] * 0.7 + ys[0] * 0.03 + ys[2] * 0.27);
  return { left, top, width: right - left, height: bottom - top };
}

/** One patch of the picture, without its slow changes of brightness. */
function patch({ width, left, top, data }: Green, corner: PatchCorner): Float64Array {
  const values = new Float64Array(SIZE * SIZE);
  for (let y = 1; y < SIZE - 1; y += 1) {
    const row = WINDOW[y] as number;
    let at = (corner.top - top + y) * width + corner.left - left + 1;
    for (let x = 1; x < SIZE - 1; x += 1, at += 1) {
      const here = data[at] as number;
      const beside = (data[at - 1] as number) + (data[at + 1] as number);
      const above = (data[at - width] as number) + (data[at + width] as number);
      const corners =
        (data[at - width - 1] as number) +
        (data[at - width + 1] as number) +
        (data[at + width - 1] as number) +
        (data[at + width + 1] as number);
      const rest = here - (4 * here + 2 * (beside + above) + corners) / 16;
      // A sharp edge would fill the whole spectrum.
      values[y * SIZE + x] = Math.min(24, Math.max(-24, rest)) * (WINDOW[x] as number) * row;
    }
  }
  return values;
}

/** Marks the frequencies that count, in the order of the spectrum. */
const IS_RELEVANT = Uint8Array.from({ length: (HALF + FIRST_ROW) * SIZE }, (_, at) => {
  const v = Math.floor(at / SIZE) - FIRST_ROW;
  const u = (at % SIZE) - HALF;
  const isSlow = u * u + v * v <= MIN_WAVES * MIN_WAVES;
  // The spectrum is mirrored above its middle; those rows only serve as neighbours of others.
  return v < 0 || isSlow || (JPEG[u + HALF] && JPEG[v + HALF]) || Math.abs(u) > MAX_WAVES || v > MAX_WAVES ? 0 : 1;
});

/** Sets the other frequencies to zero, and returns the highest of the relevant ones. */
function cleanAndPeak(excess: Float64Array): number {
  let best = 0;
  for (let at = 0; at < excess.length; at += 1) {
    if (IS_RELEVANT[at] === 0) excess[at] = 0;
    else if ((excess[at] as number) > best) best = excess[at] as number;
  }
  return best;
}

/**
 * A printed or displayed grid has one frequency all over the document, which perspective turns into another one in each
 * patch. So each frequency of the document is looked up in all patches, and their mean is taken.
 */
function sharedPeak(excesses: readonly Float64Array[], places: readonly PatchCorner[], quad: Quad): number {
  const [a, b, c, d] = quad;
  const width = (Math.hypot(b.x - a.x, b.y - a.y) + Math.hypot(c.x - d.x, c.y - d.y)) / 2;
  const height = (Math.hypot(d.x - a.x, d.y - a.y) + Math.hypot(c.x - b.x, c.y - b.y)) / 2;
  const onto = homography(quad, rectangle(width, height));
  const sums = new Float64Array(HALF * SIZE);
  places.forEach(({ left, top }, i) => {
    const turns = jacobianAt(onto, left + HALF, top + HALF);
    addPatch(sums, widest(excesses[i] as Float64Array), turns);
  });
  let best = 0;
  for (const sum of sums) if (sum > best) best = sum;
  return best / places.length;
}

type Turns = readonly [xx: number, xy: number, yx: number, yy: number];

/** Maps a frequency of the document to a frequency of the picture, near one position of the picture. */
function jacobianAt(onto: Homography, x: number, y: number): Turns {
  const here = apply(onto, { x, y });
  const right = apply(onto, { x: x + 1, y });
  const below = apply(onto, { x, y: y + 1 });
  return [right.x - here.x, right.y - here.y, below.x - here.x, below.y - here.y];
}

function addPatch(sums: Float64Array, excess: Float64Array, [xx, xy, yx, yy]: Turns): void {
  const rows = excess.length / SIZE;
  for (let v = 0; v < HALF; v += 1) {
    for (let u = -HALF; u < HALF; u += 1) {
      let across = Math.round(xx * u + xy * v);
      let down = Math.round(yx * u + yy * v);
      if (down < 0) [across, down] = [-across, -down];
      const row = down + FIRST_ROW;
      if (across < -HALF || across >= HALF || row >= rows) continue;
      const to = v * SIZE + u + HALF;
      sums[to] = (sums[to] as number) + (excess[row * SIZE + across + HALF] as number);
    }
  }
}

/** The highest of each value and its neighbours: within a patch perspective changes a frequency a little. */
function widest(values: Float64Array): Float64Array {
  const across = new Float64Array(values.length);
  for (let at = 1; at < values.length - 1; at += 1) {
    across[at] = Math.max(values[at - 1] as number, values[at] as number, values[at + 1] as number);
  }
  const both = new Float64Array(values.length);
  for (let at = SIZE; at < values.length - SIZE; at += 1) {
    both[at] = Math.max(across[at - SIZE] as number, across[at] as number, across[at + SIZE] as number);
  }
  return both;
}
