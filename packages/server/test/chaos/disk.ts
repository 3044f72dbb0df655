import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A disk of limited size in a folder. It needs the right to mount. */
export type Disk = { readonly folder: string; fill(): void; empty(): void; remove(): void };

const SIZE = '600m';
const CHUNK = Buffer.alloc(2 ** 16);

/** Undefined if nothing can be mounted. */
export function mountDisk(folder: string): Disk | undefined {
  mkdirSync(folder);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder], { stdio: 'ignore' });
  if (mounted.status !== 0) return undefined;
  const file = join(folder, 'filler');
  return {
    folder,
    fill() {
      const descriptor = openSync(file, 'w');
      try {
        for (let size = CHUNK.length; size > 0; size >>= 1) writeAll(descriptor, CHUNK.subarray(0, size));
      } finally {
        closeSync(descriptor);
      }
    },
    empty: () => rmSync(file, { force: true }),
    remove: () => void spawnSync('umount', ['-l', folder], { stdio: 'ignore' }),
  };
}

/** Repeated as often as there is room. */
function writeAll(descriptor: number, chunk: Uint8Array): void {
  for (;;) {
    try {
      if (writeSync(descriptor, chunk) < chunk.length) return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return;
      throw error;
    }
  }
}
