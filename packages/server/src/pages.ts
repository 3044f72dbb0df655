import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiError } from './kernel/errors.ts';

/** Where the build puts the pages of end users. */
export const WEB_FOLDER = fileURLToPath(new URL('../../journey/dist', import.meta.url));

/** Where the build puts the console. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../console/dist', import.meta.url));

/** Whether end users can open a page. */
export async function hasPages(folder: string): Promise<boolean> {
  return access(join(folder, 'index.html')).then(
    () => true,
    () => false,
  );
}

/** For the readiness: a server without pages serves every caller but no end user. Once there, they stay. */
export function watchPages(folder: string) {
  let there = false;
  return {
    async ensure(): Promise<void> {
      there ||= await hasPages(folder);
      if (!there) throw new ApiError(100135, { retryAfterSeconds: 10 });
    },
  };
}
