import { lstat, readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { ArchiveRefused, checkFiles, isLitter, MAX_FILES, MAX_PAGE_BYTES, type PageFile } from '@grove/server';

/** Reads a folder like an upload of it: with the same files, limits and refusals. */
export type ReadFolder =
  | { readonly files: readonly PageFile[]; readonly fault?: undefined }
  | { readonly files: readonly []; readonly fault: { path?: string; reason: string; message: string } };

export async function readPageFolder(folder: string): Promise<ReadFolder> {
  try {
    return { files: checkFiles(await filesIn(folder)) };
  } catch (error) {
    if (!(error instanceof ArchiveRefused)) throw error;
    const { path, reason, message } = error;
    return { files: [], fault: { ...(path !== undefined && { path }), reason, message } };
  }
}

async function filesIn(folder: string): Promise<{ path: string; content: Buffer }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files: { path: string; content: Buffer }[] = [];
  let total = 0;
  for (const entry of entries) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(folder, file).split(sep).join('/');
    if (entry.isDirectory() || isLitter(path)) continue;
    if (!entry.isFile()) throw new ArchiveRefused('symlink', path);
    if (files.length === MAX_FILES) throw new ArchiveRefused('too_many_entries');
    total += (await lstat(file)).size;
    if (total > MAX_PAGE_BYTES) throw new ArchiveRefused('too_many_bytes');
    files.push({ path, content: await readFile(file) });
  }
  return files;
}
