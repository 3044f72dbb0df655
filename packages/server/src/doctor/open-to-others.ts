import type { Stats } from 'node:fs';

/**
 * The mode of a file, if others than the owner have any access. Undefined otherwise, and on Windows, which has no such
 * modes.
 */
export function openToOthers({ mode }: Stats): string | undefined {
  return process.platform !== 'win32' && (mode & 0o077) !== 0 ? (mode & 0o777).toString(8) : undefined;
}
