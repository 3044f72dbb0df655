import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Builds the app into `dist`. It is built elsewhere and put in place whole: a server that runs meanwhile, or somebody
 * else who builds, never sees half of it.
 */
const HOME = dirname(fileURLToPath(import.meta.url));
export const DIST = join(HOME, 'dist');

/** Folders and files that a build is made of. */
const SOURCES = ['src', 'messages', 'public', 'index.html', 'package.json'];

/** Whether there is a build, and no source is newer than it. Every start asks, so it has to be quick. */
export function isFresh(): boolean {
  const built = timeOf(join(DIST, 'index.html'));
  if (built === undefined) return false;
  const builders = readdirSync(HOME).filter((name) => name.endsWith('.ts'));
  return [...SOURCES, ...builders].every((name) => !isNewer(join(HOME, name), built));
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

export async function build(): Promise<void> {
  const { build: bundle } = await import('vite');
  const folder = mkdtempSync(join(tmpdir(), 'grove-journey-'));
  try {
    await bundle({ configFile: join(HOME, 'vite.config.ts'), logLevel: 'warn', build: { outDir: folder } });
    putInPlace(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function putInPlace(folder: string): void {
  const fresh = `${DIST}.new-${process.pid}`;
  const old = `${DIST}.old-${process.pid}`;
  cpSync(folder, fresh, { recursive: true });
  try {
    swap(fresh, old);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

const MAX_SWAPS = 5;

/** Somebody else may put theirs in place between the two renames; theirs is as good, and ours comes after it. */
function swap(fresh: string, old: string, tries = 1): void {
  try {
    rmSync(old, { recursive: true, force: true });
    if (existsSync(DIST)) renameSync(DIST, old);
    renameSync(fresh, DIST);
  } catch (error) {
    if (tries >= MAX_SWAPS) throw error;
    swap(fresh, old, tries + 1);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wanted = !process.argv.includes('--if-needed') || !isFresh();
  if (wanted) await build();
}
