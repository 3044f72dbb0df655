import { ArchiveRefused } from './archive-refused.ts';

export const MAX_PATH_LENGTH = 200;
export const MAX_DEPTH = 8;

/** The allowed types of files. SVG is not allowed: it can contain scripts and can be opened as a document. */
export const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  woff2: 'font/woff2',
};

const SEGMENT = /^[A-Za-z0-9_-]([A-Za-z0-9._-]*[A-Za-z0-9_-])?$/;
/** Names that Windows gives to devices, with any extension: whoever exports the page there would write to the device. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
/** Files that operating systems add by themselves. They are skipped. */
const LITTER = /^__MACOSX\/|(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini)$/;

export function isLitter(path: string): boolean {
  return LITTER.test(path);
}

/** Refuses a path that could mean anything other than one file below the top of the page. */
export function checkPath(path: string): void {
  if (path.startsWith('/') || path.startsWith('\\') || /^[A-Za-z]:/.test(path)) {
    throw new ArchiveRefused('absolute_path', path);
  }
  const segments = path.split('/');
  if (path.split(/[/\\]/).includes('..')) throw new ArchiveRefused('parent_path', path);
  if (path.length > MAX_PATH_LENGTH || segments.length > MAX_DEPTH) throw new ArchiveRefused('long_path', path);
  if (!segments.every((segment) => SEGMENT.test(segment) && !DEVICE.test(segment)))
    throw new ArchiveRefused('bad_name', path);
}

/** Returns the content type for the extension; `jpeg` is treated as `jpg`, and case is ignored. */
export function contentTypeOf(path: string): string {
  const extension = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const type = extension === 'jpeg' ? CONTENT_TYPES.jpg : undefined;
  const contentType = type ?? (Object.hasOwn(CONTENT_TYPES, extension) ? CONTENT_TYPES[extension] : undefined);
  if (contentType === undefined) throw new ArchiveRefused('type', path);
  return contentType;
}
