import type { Raster } from '../images/raster.ts';
import type { ModelName } from '../ocr/models.ts';

/** A score that points at something without proving it, with the way it was measured. */
export type Hint = {
  readonly name: 'copy' | 'screen';
  /** 0 nothing seen … 1 clearly seen. Not a probability: no labelled set was there to calibrate it on. */
  readonly score: number;
  readonly measured: string;
  readonly model: ModelName;
};

const MODEL: ModelName = { name: 'grove-document-hints', version: '1' };
const PATCH = 256;
const MAX_PATCHES = 6;
/** Colour fullness below which a document looks like a grey copy, and above which it surely is none. */
const GREY_CHROMA = 3;
const COLOUR_CHROMA = 14;
/** How far a single frequency stands above its neighbours before it looks like a grid. */
const QUIET_PEAK = 12;
const LOUD_PEAK = 60;

export function documentHints(image: Raster, straight: Raster): Hint[] {
  const chroma = meanChroma(straight);
  const peak = gridPeak(image);
  return [
    {
      name: 'copy',
      score: share(COLOUR_CHROMA - chroma, 0, COLOUR_CHROMA - GREY_CHROMA),
      measured: `mean difference of the strongest and weakest colour is ${chroma.toFixed(1)} of 255 at full light; below ${GREY_CHROMA} counts as grey`,
      model: MODEL,
    },
    {
      name: 'screen',
      score: share(peak, QUIET_PEAK, LOUD_PEAK),
      measured: `strongest single frequency in rows and columns of ${PATCH}-pixel patches is ${peak.toFixed(1)} times its neighbourhood; a grid of screen pixels gives ${LOUD_PEAK} or more`,
      model: MODEL,
    },
  ];
}

function share(value: number, from: number, to: number): number {
  return Math.min(1, Math.max(0, (value - from) / (to - from)));
}

function meanChroma({ data }: Raster): number {
  let sum = 0;
  let light = 0;
  for (let i = 0; i < data.length; i += 3) {
    const [r, g, b] = [data[i], data[i + 1], data[i + 2]] as [number, number, number];
    sum += Math.max(r, g, b) - Math.min(r, g, b);
    light += Math.max(r, g, b);
  }
  return (sum * 255) / Math.max(1, light);
}

/** A screen photographed shows its pixels as a grid: one high frequency stands out in all patches alike. */
function gridPeak(image: Raster): number {
  if (image.width < PATCH || image.height < PATCH) return 0;
  const { width, height, data } = image;
  // Green carries most of the brightness and is sampled most finely by cameras.
  const green = (x: number, y: number): number => data[(y * width + x) * 3 + 1] as number;
  const spectra = [new Float64Array(PATCH / 2), new Float64Array(PATCH / 2)];
  for (let patch = 0; patch < MAX_PATCHES; patch += 1) {
    const left = Math.floor(((width - PATCH) * (patch % 3)) / 2);
    const top = (height - PATCH) * Math.floor(patch / 3);
    for (let line = 0; line < PATCH; line += 8) {
      addSpectrum(
        Float64Array.from({ length: PATCH }, (_, i) => green(left + i, top + line)),
        spectra[0] as Float64Array,
      );
      addSpectrum(
        Float64Array.from({ length: PATCH }, (_, i) => green(left + line, top + i)),
        spectra[1] as Float64Array,
      );
    }
  }
  return Math.max(...spectra.map(peakOf));
}

/** Adds the power of each frequency of a row, by a Fourier transform on halves. */
function addSpectrum(row: Float64Array, into: Float64Array): void {
  const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
  const real = row.map((value, i) => (value - mean) * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / row.length)));
  const imaginary = new Float64Array(row.length);
  transform(real, imaginary);
  for (let k = 0; k < into.length; k += 1) {
    into[k] = (into[k] as number) + (real[k] as number) ** 2 + (imaginary[k] as number) ** 2;
  }
}

function transform(real: Float64Array, imaginary: Float64Array): void {
  const size = real.length;
  for (let i = 1, j = 0; i < size; i += 1) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) [real[i], real[j]] = [real[j] as number, real[i] as number];
  }
  for (let length = 2; length <= size; length <<= 1) {
    const angle = (-2 * Math.PI) / length;
    for (let start = 0; start < size; start += length) {
      for (let k = 0; k < length / 2; k += 1) {
        const [cosine, sine] = [Math.cos(angle * k), Math.sin(angle * k)];
        const [a, b] = [start + k, start + k + length / 2];
        const re = (real[b] as number) * cosine - (imaginary[b] as number) * sine;
        const im = (real[b] as number) * sine + (imaginary[b] as number) * cosine;
        real[b] = (real[a] as number) - re;
        imaginary[b] = (imaginary[a] as number) - im;
        real[a] = (real[a] as number) + re;
        imaginary[a] = (imaginary[a] as number) + im;
      }
    }
  }
}

function peakOf(spectrum: Float64Array): number {
  let best = 0;
  for (let k = 40; k < spectrum.length - 6; k += 1) {
    const around: number[] = [];
    for (let d = 3; d <= 6; d += 1) around.push(spectrum[k - d] as number, spectrum[k + d] as number);
    around.sort((one, other) => one - other);
    best = Math.max(best, (spectrum[k] as number) / Math.max(1, around[4] as number));
  }
  return best;
}
