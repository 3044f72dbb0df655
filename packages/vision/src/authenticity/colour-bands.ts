import type { Raster } from '../images/raster.ts';
import { resize } from '../images/warp.ts';
import { fourierOf } from './fourier.ts';

/** The document is reduced to this width. Two squares of half of it, side by side, are transformed. */
const WIDTH = 512;
const SIZE_BITS = 8;
const SIZE = 1 << SIZE_BITS;
/** Where the squares begin, as a share of the height that is left over. */
const FROM_TOP = 0.4;
/** The range of bands, in waves per square: wider ones are shades of the light, narrower ones are a grid. */
const FEWEST_WAVES = 7;
const MOST_WAVES = 60;
/** One-sided power is added up in squares of this reach, because bands bend. */
const NEAR = 2;
/** The usual power around a frequency is the mean of a wider square, of every other value in it. */
const AROUND = 8;
/** Print in strong colours counts as colour of this many deviations. */
const MOST_COLOUR = 1.5;
/** Added to brightness, so that the colour of nearly black pixels is not exaggerated. */
const DARK = 12;

const fourier = fourierOf(SIZE);
const WINDOW = Float64Array.from({ length: SIZE }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / SIZE));

/**
 * How much the hue turns in one direction across the document, as a difference of natural logarithms of power. The red,
 * green and blue stripes of a screen's pixels are side by side, so where they beat with the camera's pixels, red, green
 * and blue follow each other: the hue turns. Print becomes lighter and darker, so its hue swings to and fro. Here hue
 * is a complex number, whose spectrum has one side if it turns and two if it swings.
 */
export function colourBands(straight: Raster): number {
  const height = Math.max(SIZE, Math.round((straight.height * WIDTH) / straight.width));
  const image = resize(straight, WIDTH, height);
  const top = Math.round((height - SIZE) * FROM_TOP);
  const turns = [0, WIDTH - SIZE].map((left) => strongestTurn(...coloursOf(image, left, top)));
  return turns.reduce((sum, turn) => sum + turn, 0) / turns.length;
}

/** The colour of a square apart from its brightness: red, green and blue pull in three directions. */
function coloursOf({ width, data }: Raster, left: number, top: number): [Float64Array, Float64Array] {
  const [real, imaginary] = [new Float64Array(SIZE * SIZE), new Float64Array(SIZE * SIZE)];
  for (let at = 0; at < real.length; at += 1) {
    const from = ((top + (at >> SIZE_BITS)) * width + left + (at & (SIZE - 1))) * 3;
    const red = LOGARITHMS[data[from] as number] as number;
    const green = LOGARITHMS[data[from + 1] as number] as number;
    const blue = LOGARITHMS[data[from + 2] as number] as number;
    real[at] = red - (green + blue) / 2;
    imaginary[at] = (Math.sqrt(3) / 2) * (green - blue);
  }
  const [re, im] = [meanOf(real), meanOf(imaginary)];
  let power = 0;
  for (let at = 0; at < real.length; at += 1) {
    real[at] = (real[at] as number) - re;
    imaginary[at] = (imaginary[at] as number) - im;
    power += (real[at] as number) ** 2 + (imaginary[at] as number) ** 2;
  }
  const most = MOST_COLOUR * Math.sqrt(power / real.length);
  for (let at = 0; at < real.length; at += 1) {
    const weight = (WINDOW[at & (SIZE - 1)] as number) * (WINDOW[at >> SIZE_BITS] as number);
    // Math.hypot takes twenty times as long, and few colours are so strong.
    const isStrong = (real[at] as number) ** 2 + (imaginary[at] as number) ** 2 > most * most;
    const factor = weight * (isStrong ? most / Math.hypot(real[at] as number, imaginary[at] as number) : 1);
    real[at] = (real[at] as number) * factor;
    imaginary[at] = (imaginary[at] as number) * factor;
  }
  return [real, imaginary];
}

const LOGARITHMS = Float64Array.from({ length: 256 }, (_, value) => Math.log(value + DARK));

function meanOf(values: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < values.length; at += 1) sum += values[at] as number;
  return sum / values.length;
}

function strongestTurn(real: Float64Array, imaginary: Float64Array): number {
  fourier.rows(real, imaginary);
  fourier.columns(real, imaginary);
  const [oneSided, usual] = [new Float64Array(real.length), new Float64Array(real.length)];
  // Computes only what is needed below: the bands in one half of the spectrum, and their surroundings.
  for (let v = -AROUND; v <= MOST_WAVES + AROUND; v += 1) {
    for (let u = -MOST_WAVES - AROUND; u <= MOST_WAVES + AROUND; u += 1) {
      const at = (v & (SIZE - 1)) * SIZE + (u & (SIZE - 1));
      const mirror = (-v & (SIZE - 1)) * SIZE + (-u & (SIZE - 1));
      const here = (real[at] as number) ** 2 + (imaginary[at] as number) ** 2;
      const there = (real[mirror] as number) ** 2 + (imaginary[mirror] as number) ** 2;
      oneSided[at] = here - there;
      usual[at] = Math.log(here + there + 1e-9);
    }
  }
  let best = Number.NEGATIVE_INFINITY;
  for (let v = 0; v <= MOST_WAVES; v += 1) {
    for (let u = -MOST_WAVES; u <= MOST_WAVES; u += 1) {
      const waves = Math.hypot(u, v);
      if (waves < FEWEST_WAVES || waves > MOST_WAVES) continue;
      const excess = Math.log(Math.abs(meanAround(oneSided, u, v, NEAR, 1)) + 1e-12);
      best = Math.max(best, excess - meanAround(usual, u, v, AROUND, 2));
    }
  }
  return best;
}

/** The mean of the values around a frequency; the spectrum is periodic. */
function meanAround(values: Float64Array, u: number, v: number, reach: number, step: number): number {
  let sum = 0;
  for (let y = v - reach; y <= v + reach; y += step) {
    const row = ((y + SIZE) % SIZE) * SIZE;
    for (let x = u - reach; x <= u + reach; x += step) sum += values[row + ((x + SIZE) % SIZE)] as number;
  }
  const across = Math.floor((2 * reach) / step) + 1;
  return sum / (across * across);
}
