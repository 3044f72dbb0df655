import type { Raster } from './raster.ts';

/** Brightness, one number 0…255 per pixel. */
export type Grey = { readonly width: number; readonly height: number; readonly data: Float32Array };

export function toGrey({ width, height, data }: Raster): Grey {
  const grey = new Float32Array(width * height);
  for (let i = 0; i < grey.length; i += 1) {
    grey[i] =
      0.299 * (data[i * 3] as number) + 0.587 * (data[i * 3 + 1] as number) + 0.114 * (data[i * 3 + 2] as number);
  }
  return { width, height, data: grey };
}

/** The mean of each pixel and its eight neighbours, `rounds` times: a cheap Gaussian. */
export function smooth({ width, height, data }: Grey, rounds = 1): Grey {
  let from = data;
  for (let round = 0; round < rounds; round += 1) {
    const across = new Float32Array(from.length);
    const down = new Float32Array(from.length);
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const at = y * width + x;
        const left = from[x > 0 ? at - 1 : at] as number;
        const right = from[x < width - 1 ? at + 1 : at] as number;
        across[at] = (left + 2 * (from[at] as number) + right) / 4;
      }
    }
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const at = y * width + x;
        const above = across[y > 0 ? at - width : at] as number;
        const below = across[y < height - 1 ? at + width : at] as number;
        down[at] = (above + 2 * (across[at] as number) + below) / 4;
      }
    }
    from = down;
  }
  return { width, height, data: from };
}

export type Slopes = { readonly across: Float32Array; readonly down: Float32Array; readonly strength: Float32Array };

/** How the brightness changes at each pixel (Scharr's operator). */
export function slopesOf({ width, height, data }: Grey): Slopes {
  const across = new Float32Array(data.length);
  const down = new Float32Array(data.length);
  const strength = new Float32Array(data.length);
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      const at = y * width + x;
      const a = data[at - width - 1] as number;
      const c = data[at - width + 1] as number;
      const g = data[at + width - 1] as number;
      const i = data[at + width + 1] as number;
      const dx = (3 * (c - a) + 10 * ((data[at + 1] as number) - (data[at - 1] as number)) + 3 * (i - g)) / 16;
      const dy = (3 * (g - a) + 10 * ((data[at + width] as number) - (data[at - width] as number)) + 3 * (i - c)) / 16;
      across[at] = dx;
      down[at] = dy;
      // Math.hypot takes twenty times as long.
      strength[at] = Math.sqrt(dx * dx + dy * dy);
    }
  }
  return { across, down, strength };
}
