/** Limits of an image and of the process that reads it. */
export const MAX_PIXELS = 25_000_000;
/** The format of JPEG has no longer side. */
export const MAX_SIDE_PIXELS = 65_500;
/** Of the result: 25 megapixels of noise, and as much again. */
export const MAX_OUTPUT_BYTES = 64 * 2 ** 20;
export const JPEG_QUALITY = 92;
/** A page of a PDF is drawn with this many pixels on its longer edge, or with 600 dots per inch if that is less. */
export const MAX_PAGE_EDGE_PIXELS = 2560;
export const MAX_PAGE_SCALE = 600 / 72;
/**
 * In units of 1/72 inch. A page may have 200 inches at most (ISO 32000-1, annex C); less than half an inch shows
 * nothing.
 */
export const MAX_PAGE_POINTS = 14_400;
export const MIN_PAGE_POINTS = 36;
