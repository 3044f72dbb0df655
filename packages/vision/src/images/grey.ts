import type { Raster } from './raster.ts';

/** Brightness, one number 0…255 per pixel. */
export type Grey = { readonly width: number; readonly height: number; readonly data: Float32Array };

export function toGrey({ width, height, data }: Raster): Grey {
  const grey = new Float32Array(width * height);
  for (let y = 0; y < height; y += 1) greyRow(data, y * width, grey.subarray(y * width, (y + 1) * width));
  return { width, height, data: grey };
}

function greyRow(data: Uint8Array, start: number, row: Float32Array): void {
  for (let to = 0, at = start * 3; to < row.length; to += 1, at += 3) {
    row[to] = 0.299 * (data[at] as number) + 0.587 * (data[at + 1] as number) + 0.114 * (data[at + 2] as number);
  }
}

/** The mean of each pixel and its eight neighbours, `rounds` times: a cheap Gaussian. */
export function smooth({ width, height, data }: Grey, rounds = 1): Grey {
  let from = data;
  for (let round = 0; round < rounds; round += 1) {
    const across = new Float32Array(from.length);
    const down = new Float32Array(from.length);
    for (let y = 0; y < height; y += 1) smoothRow(from, across, y * width, (y + 1) * width - 1);
    for (let y = 0; y < height; y += 1) {
      const [above, below] = [y > 0 ? -width : 0, y < height - 1 ? width : 0];
      smoothColumns(across, down, y * width, (y + 1) * width, above, below);
    }
    from = down;
  }
  return { width, height, data: from };
}

function smoothRow(from: Float32Array, to: Float32Array, first: number, last: number): void {
  for (let at = first; at <= last; at += 1) {
    const left = from[at > first ? at - 1 : at] as number;
    const right = from[at < last ? at + 1 : at] as number;
    to[at] = (left + 2 * (from[at] as number) + right) / 4;
  }
}

function smoothColumns(
  from: Float32Array,
  to: Float32Array,
  first: number,
  end: number,
  above: number,
  below: number,
): void {
  for (let at = first; at < end; at += 1) {
    to[at] = ((from[at + above] as number) + 2 * (from[at] as number) + (from[at + below] as number)) / 4;
  }
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
