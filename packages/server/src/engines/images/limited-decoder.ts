import sharp, { type Sharp } from 'sharp';
import { MAX_PIXELS, MAX_SIDE_PIXELS } from './limits.ts';

/** The size in the header is compared first, so that the response can name the fault. */
export function hasTooManyPixels({ width, height }: { width: number; height: number }): boolean {
  return width * height > MAX_PIXELS || Math.max(width, height) > MAX_SIDE_PIXELS;
}

/** The decoder itself stops at the same limit, whatever the header says. */
export function limitedDecoder(bytes: Buffer, { ignoreIcc }: { ignoreIcc: boolean }): Sharp {
  const limits = { failOn: 'error', limitInputPixels: MAX_PIXELS } as const;
  return sharp(bytes, { ...limits, sequentialRead: true, autoOrient: true, ignoreIcc });
}
