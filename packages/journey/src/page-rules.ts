/** Rules that pages for old browsers share with the app: `old-browser-plugin.ts` puts them into their script. Pure. */

/** The codes for a stale page: another tab or device or the clock has moved on, or the step cannot be repeated. */
export const BEHIND: readonly number[] = [100054, 100056, 100057, 100058, 100022, 100232];

export const ASK_EVERY_MS = 3_000;

/** The version of the consent texts, which is submitted with the consent. */
export const CONSENT_PAGE = 'grove-1';

/** iPhones convert their own format into JPEG for a page that accepts only these types. */
export const PHOTO_TYPES = 'image/jpeg,image/png,image/webp';

/** The largest file that the server accepts. */
export const MAX_UPLOAD_BYTES = 12 * 1024 * 1024;
