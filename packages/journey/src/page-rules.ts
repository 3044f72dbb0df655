/** Rules that the pages for old browsers share with the app: `old-browser-plugin.ts` puts them into their script. Pure. */

/** The page was behind: another tab, another device or the clock has moved the journey on, or the step cannot be done again. */
export const BEHIND: readonly number[] = [100054, 100056, 100057, 100058, 100022, 100232];

export const ASK_EVERY_MS = 3_000;

/** The version of the words of consent, which goes with the answer. */
export const CONSENT_PAGE = 'grove-1';

/** iPhones turn their own format into JPEG for a page that asks for these. */
export const PHOTO_TYPES = 'image/jpeg,image/png,image/webp';

/** The largest file that the server takes as it is. */
export const MAX_UPLOAD_BYTES = 12 * 1024 * 1024;
