import { type Pixels, toGrey } from '../images/sample.ts';

/** The measures of an aligned face of 112 × 112 pixels. */
export type Exposure = {
  /** The ratio of detail to contrast; it falls with blur, and not in the dark. */
  readonly sharpness: number;
  /** The brightness (0 to 255) that five per cent of the pixels exceed. */
  readonly highlights: number;
  /** The brightness that three quarters of the pixels exceed. */
  readonly shadows: number;
  /** The share of fully bright pixels. */
  readonly clipped: number;
};

/** From forehead to chin and temple to temple, without hair and background. */
const INNER = { left: 24, top: 32, right: 88, bottom: 104 };
const CLIPPED_FROM = 250;

export function measureExposure(aligned: Pixels): Exposure {
  const grey = toGrey(aligned);
  const values = new Float32Array((INNER.right - INNER.left) * (INNER.bottom - INNER.top));
  let count = 0;
  let details = 0;
  for (let y = INNER.top; y < INNER.bottom; y += 1) {
    for (let x = INNER.left; x < INNER.right; x += 1) {
      const at = y * aligned.width + x;
      const value = grey[at] as number;
      const around =
        (grey[at - 1] as number) +
        (grey[at + 1] as number) +
        (grey[at - aligned.width] as number) +
        (grey[at + aligned.width] as number);
      values[count++] = value;
      details += (around - 4 * value) ** 2;
    }
  }
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const contrast = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  values.sort();
  return {
    // One grey level of contrast is added to avoid a division by zero.
    sharpness: details / (contrast + values.length),
    highlights: values[Math.floor(values.length * 0.95)] as number,
    shadows: values[Math.floor(values.length * 0.25)] as number,
    clipped: values.filter((value) => value >= CLIPPED_FROM).length / values.length,
  };
}
