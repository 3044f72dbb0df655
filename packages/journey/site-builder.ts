import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Builds a folder of pages into its `dist`. It builds into a temporary folder and then swaps the two, so that a running
 * server or another build never sees half a build.
 */
export type Site = {
  /** The folder of the package that contains the pages. */
  readonly home: string;
  /** Folders and files from which the build is made; the builder itself always counts. */
  readonly sources: readonly string[];
};

export function distOf({ home }: Pick<Site, 'home'>): string {
  return join(home, 'dist');
}

/** Whether a build exists and no source is newer. Every start calls it, so it must be quick. */
export function isFreshSite({ home, sources }: Site): boolean {
  const built = timeOf(join(distOf({ home }), 'index.html'));
  if (built === undefined) return false;
  const builders = readdirSync(home).filter((name) => name.endsWith('.ts'));
  return [...sources, ...builders].every((name) => !isNewer(join(home, name), built));
}

function isNewer(path: string, than: number): boolean {
  const time = timeOf(path);
  if (time === undefined) return false;
  // The time of a folder changes when a file is added or removed.
  if (time > than) return true;
  if (!statSync(path).isDirectory()) return false;
  return readdirSync(path).some((name) => isNewer(join(path, name), than));
}

function timeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

export async function buildSite({ home }: Site): Promise<void> {
  const { build } = await import('vite');
  const folder = mkdtempSync(join(tmpdir(), 'grove-pages-'));
  try {
    await build({ configFile: join(home, 'vite.config.ts'), logLevel: 'warn', build: { outDir: folder } });
    putInPlace(folder, distOf({ home }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function putInPlace(folder: string, dist: string): void {
  const fresh = `${dist}.new-${process.pid}`;
  const old = `${dist}.old-${process.pid}`;
  cpSync(folder, fresh, { recursive: true });
  try {
    swap({ dist, fresh, old });
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

const MAX_SWAPS = 5;

/** Another process may put its build in place between the two renames. Ours replaces it on the next attempt. */
function swap({ dist, fresh, old }: { dist: string; fresh: string; old: string }, attempts = 1): void {
  try {
    rmSync(old, { recursive: true, force: true });
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
  } catch (error) {
    if (attempts >= MAX_SWAPS) throw error;
    swap({ dist, fresh, old }, attempts + 1);
  }
}
