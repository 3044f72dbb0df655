import { createHash } from 'node:crypto';
import { detectImageType } from '../../engines/images/detect-image-type.ts';
import { ArchiveRefused } from './archive-refused.ts';
import { checkPath, contentTypeOf } from './check-path.ts';

/** The rules for the files of a custom page, from an archive or from a folder. */

export const MAX_FILES = 200;
export const MAX_FILE_BYTES = 4 * 2 ** 20;
export const MAX_PAGE_BYTES = 20 * 2 ** 20;

export type PageFile = {
  readonly path: string;
  readonly contentType: string;
  readonly sha256: string;
  readonly content: Buffer;
};

export type UnpackedFile = { readonly path: string; readonly content: Buffer };

/** Returns the files sorted by path. Throws an `ArchiveRefused`. */
export function checkFiles(files: readonly UnpackedFile[]): PageFile[] {
  checkPaths(files.map(({ path }) => path));
  const total = files.reduce((sum, { content }) => sum + content.length, 0);
  if (total > MAX_PAGE_BYTES) throw new ArchiveRefused('too_many_bytes');
  const checked = files.map(({ path, content }) => {
    if (content.length > MAX_FILE_BYTES) throw new ArchiveRefused('too_large', path);
    const contentType = contentTypeOf(path);
    checkContent(path, contentType, content);
    return { path, contentType, content, sha256: createHash('sha256').update(content).digest('hex') };
  });
  return checked.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Checks the paths alone, before anything is unpacked. */
export function checkPaths(paths: readonly string[]): void {
  if (paths.length > MAX_FILES) throw new ArchiveRefused('too_many_entries');
  const files = new Set<string>();
  const folders = new Set<string>();
  for (const path of paths) {
    checkPath(path);
    contentTypeOf(path);
    const folded = path.toLowerCase();
    if (files.has(folded)) throw new ArchiveRefused('twice', path);
    files.add(folded);
    const segments = folded.split('/');
    for (let end = 1; end < segments.length; end++) folders.add(segments.slice(0, end).join('/'));
  }
  for (const path of paths) if (folders.has(path.toLowerCase())) throw new ArchiveRefused('twice', path);
  if (!paths.includes('index.html')) throw new ArchiveRefused('no_index');
}

const WOFF2 = 'wOF2';

function checkContent(path: string, contentType: string, content: Buffer): void {
  if (contentType.startsWith('image/')) {
    if (detectImageType(content) !== contentType) throw new ArchiveRefused('wrong_content', path);
    return;
  }
  if (contentType === 'font/woff2') {
    if (content.toString('latin1', 0, 4) !== WOFF2) throw new ArchiveRefused('wrong_content', path);
    return;
  }
  if (!isText(content)) throw new ArchiveRefused('not_text', path);
  if (contentType.startsWith('application/json') && !isJson(content)) throw new ArchiveRefused('wrong_content', path);
}

function isText(content: Buffer): boolean {
  if (content.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(content);
    return true;
  } catch {
    return false;
  }
}

function isJson(content: Buffer): boolean {
  try {
    JSON.parse(content.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
