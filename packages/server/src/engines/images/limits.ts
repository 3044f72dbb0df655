/** What an image may be, and what the process that reads it may use. */
export const MAX_PIXELS = 25_000_000;
/** More than this a JPEG cannot have on one side. */
export const MAX_SIDE_PIXELS = 65_500;
/** Of what comes back: 25 megapixels of noise, and as much again. */
export const MAX_OUTPUT_BYTES = 64 * 2 ** 20;
export const JPEG_QUALITY = 92;
