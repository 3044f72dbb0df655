import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';

/** What the server answered in the tests: every test process writes one line for each route, status and code. */
export type Exercised = { readonly route: string; readonly status: number; readonly code?: number | undefined };

/** The lines of the last whole run, if no test failed in it. */
export const EXERCISED_FILE = resolve('node_modules/.cache/grove/exercised.txt');

export function exercisedLine({ route, status, code }: Exercised): string {
  return [route, status, ...(code === undefined ? [] : [code])].join(' ');
}

export function readExercised(): Exercised[] {
  if (!existsSync(EXERCISED_FILE)) return [];
  const lines = new Set(readFileSync(EXERCISED_FILE, 'utf8').split('\n').filter(Boolean));
  return [...lines].map((line) => {
    const [method, path, status, code] = line.split(' ');
    return { route: `${method} ${path}`, status: Number(status), ...(code !== undefined && { code: Number(code) }) };
  });
}

/** Replaces the lines of an earlier run by those of a whole run in `file`. Without a file it only removes them. */
export function keepExercised(file: string | undefined): void {
  rmSync(EXERCISED_FILE, { force: true });
  if (file && existsSync(file)) cpSync(file, EXERCISED_FILE);
}
