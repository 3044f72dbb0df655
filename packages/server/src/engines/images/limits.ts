/** What an image may be, and what the process that reads it may use. */
export const MAX_PIXELS = 25_000_000;
/** More than this a JPEG cannot have on one side. */
export const MAX_SIDE_PIXELS = 65_500;
/** Of what comes back: 25 megapixels of noise, and as much again. */
export const MAX_OUTPUT_BYTES = 64 * 2 ** 20;
export const JPEG_QUALITY = 92;
/** A page of a PDF is drawn so that its longer edge has this many pixels, or at 600 dots per inch if that is less. */
export const MAX_PAGE_EDGE_PIXELS = 2560;
export const MAX_PAGE_SCALE = 600 / 72;
/** Of 1/72 inch. More than 200 inches a page may not have (ISO 32000-1, annex C); less than half an inch shows nothing. */
export const MAX_PAGE_POINTS = 14_400;
export const MIN_PAGE_POINTS = 36;
