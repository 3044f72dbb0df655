import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Builds a folder of pages into its `dist`. It is built elsewhere and put in place whole: a server that runs meanwhile, or
 * somebody else who builds, never sees half of it.
 */
export type Site = {
  /** The package that the pages are in. */
  readonly home: string;
  /** Folders and files that a build is made of, beside the builder itself. */
  readonly sources: readonly string[];
};

export function distOf({ home }: Pick<Site, 'home'>): string {
  return join(home, 'dist');
}

/** Whether there is a build, and no source is newer than it. Every start asks, so it has to be quick. */
export function isFreshSite({ home, sources }: Site): boolean {
  const built = timeOf(join(distOf({ home }), 'index.html'));
  if (built === undefined) return false;
  const builders = readdirSync(home).filter((name) => name.endsWith('.ts'));
  return [...sources, ...builders].every((name) => !isNewer(join(home, name), built));
}

function isNewer(path: string, than: number): boolean {
  const time = timeOf(path);
  if (time === undefined) return false;
  // A folder is newer when something was put into it or taken out.
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

/** Somebody else may put theirs in place between the two renames; theirs is as good, and ours comes after it. */
function swap({ dist, fresh, old }: { dist: string; fresh: string; old: string }, tries = 1): void {
  try {
    rmSync(old, { recursive: true, force: true });
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
  } catch (error) {
    if (tries >= MAX_SWAPS) throw error;
    swap({ dist, fresh, old }, tries + 1);
  }
}
