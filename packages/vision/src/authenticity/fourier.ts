/** The Fourier transform of rows whose length is a power of two, in place. */
export type Fourier = (real: Float64Array, imaginary: Float64Array) => void;

export function fourierOf(size: number): Fourier {
  const cosines = Float64Array.from({ length: size / 2 }, (_, k) => Math.cos((-2 * Math.PI * k) / size));
  const sines = Float64Array.from({ length: size / 2 }, (_, k) => Math.sin((-2 * Math.PI * k) / size));
  const swaps: number[] = [];
  for (let i = 1, j = 0; i < size; i += 1) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) swaps.push(i, j);
  }
  return (real, imaginary) => {
    for (let at = 0; at < swaps.length; at += 2) {
      const i = swaps[at] as number;
      const j = swaps[at + 1] as number;
      const re = real[i] as number;
      const im = imaginary[i] as number;
      real[i] = real[j] as number;
      imaginary[i] = imaginary[j] as number;
      real[j] = re;
      imaginary[j] = im;
    }
    for (let length = 2; length <= size; length <<= 1) {
      const half = length >> 1;
      const stride = size / length;
      for (let start = 0; start < size; start += length) {
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
  };
}
