import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, posix } from 'node:path';
import { CODE, manifestOf, ROOT } from './packages.ts';

/**
 * Compiles TypeScript to JavaScript file by file, because Node refuses TypeScript below `node_modules`. Types become blanks,
 * so that lines and columns of an error stay those of the source.
 */
export type Compiled = { path: string; code: string };

/** Matches the name of a module in an import, and the address of a script or a worker in `new URL`. */
const SPECIFIER = /(?<before>\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*)(?<quote>['"])(?<name>[^'"\n]+)\k<quote>/g;
const MAX_FILES = 5000;

/** Compiles the entries and all modules of Grove that they import. The paths are those in the package. */
export function compileAll(entries: readonly string[]): Compiled[] {
  const places = workspacePlaces();
  const waiting = [...entries];
  const done = new Map<string, Compiled>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (done.has(file)) continue;
    if (done.size >= MAX_FILES) throw new Error(`More than ${MAX_FILES} files are imported`);
    const { code, imports } = compile(file, places);
    done.set(file, { path: asScript(file), code });
    waiting.push(...imports);
  }
  return [...done.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function compile(file: string, places: ReadonlyMap<string, string>): { code: string; imports: string[] } {
  const stripped = stripTypeScriptTypes(readFileSync(join(ROOT, file), 'utf8'));
  const imports: string[] = [];
  const code = stripped.replace(SPECIFIER, (whole, before: string, quote: string, name: string) => {
    const target = targetOf(file, name, places);
    if (target === undefined) return whole;
    imports.push(target);
    const path = posix.relative(posix.dirname(file), asScript(target));
    return `${before}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
  });
  return { code, imports };
}

/** The TypeScript file of this repository to which a module name refers, if there is one. */
function targetOf(file: string, name: string, places: ReadonlyMap<string, string>): string | undefined {
  const mappedPath = places.get(name);
  if (mappedPath !== undefined) return mappedPath;
  if (!name.startsWith('.') || !name.endsWith('.ts')) return undefined;
  const target = posix.join(posix.dirname(file), name);
  // The command that builds the pages is not in the package; its callers check first whether it exists.
  if (!target.includes('/src/')) return undefined;
  if (!existsSync(join(ROOT, target))) throw new Error(`${file} imports ${name}, which does not exist`);
  return target;
}

/** `@grove/server/start` → `packages/server/src/start.ts`, for every workspace. */
function workspacePlaces(): Map<string, string> {
  const places = new Map<string, string>();
  for (const folder of CODE.map((name) => `packages/${name}`)) {
    const { name, exports = {} } = manifestOf(folder);
    for (const [key, path] of Object.entries(exports)) {
      if (path.endsWith('.ts')) places.set(posix.join(name, key), posix.join(folder, path));
    }
  }
  return places;
}

export function asScript(file: string): string {
  return file.replace(/\.ts$/, '.js');
}

/** The launcher is JavaScript already and imports the first TypeScript file. */
export function compileLauncher(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8').replace("'../src/main.ts'", "'../src/main.js'");
}
