/** Fourier transforms of all rows, or of all columns, of a square whose side is a power of two, in place. */
export type Fourier = {
  rows(real: Float64Array, imaginary: Float64Array): void;
  columns(real: Float64Array, imaginary: Float64Array): void;
};

export function fourierOf(size: number): Fourier {
  const cosines = Float64Array.from({ length: size / 2 }, (_, k) => Math.cos((-2 * Math.PI * k) / size));
  const sines = Float64Array.from({ length: size / 2 }, (_, k) => Math.sin((-2 * Math.PI * k) / size));
  const swaps = swapsOf(size);

  return {
    rows(real, imaginary) {
      for (let row = 0; row < real.length; row += size) {
        for (let at = 0; at < swaps.length; at += 2) {
          const [i, j] = [row + (swaps[at] as number), row + (swaps[at + 1] as number)];
          swap(real, i, j);
          swap(imaginary, i, j);
        }
        for (let length = 2; length <= size; length <<= 1) {
          const half = length >> 1;
          const stride = size / length;
          for (let start = row; start < row + size; start += length) {
            for (let k = 0, turn = 0; k < half; k += 1, turn += stride) {
              const cosine = cosines[turn] as number;
              const sine = sines[turn] as number;
              const a = start + k;
              const b = a + half;
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
    },
    // Combines whole rows, because access by columns is slow.
    columns(real, imaginary) {
      for (let at = 0; at < swaps.length; at += 2) {
        const [i, j] = [(swaps[at] as number) * size, (swaps[at + 1] as number) * size];
        for (let x = 0; x < size; x += 1) {
          swap(real, i + x, j + x);
          swap(imaginary, i + x, j + x);
        }
      }
      for (let length = 2; length <= size; length <<= 1) {
        const half = length >> 1;
        const stride = size / length;
        for (let start = 0; start < size; start += length) {
          for (let k = 0, turn = 0; k < half; k += 1, turn += stride) {
            const cosine = cosines[turn] as number;
            const sine = sines[turn] as number;
            const end = (start + k + 1) * size;
            for (let a = (start + k) * size, b = a + half * size; a < end; a += 1, b += 1) {
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
    },
  };
}

/** Pairs of positions with reversed bits: the transform begins by swapping their values. */
function swapsOf(size: number): number[] {
  const swaps: number[] = [];
  for (let i = 1, j = 0; i < size; i += 1) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) swaps.push(i, j);
  }
  return swaps;
}

function swap(values: Float64Array, one: number, other: number): void {
  const value = values[one] as number;
  values[one] = values[other] as number;
  values[other] = value;
}
