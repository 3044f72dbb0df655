import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';

/** What the tests made the server answer: one line for each route, status and code, written by every test process. */
export type Exercised = { readonly route: string; readonly status: number; readonly code?: number | undefined };

/** What the last whole run has exercised, if nothing failed in it. Nothing adds to it afterwards. */
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

/** Puts what a whole run has written into `file` in the place of what an earlier one had. Without a file nothing stays. */
export function keepExercised(file: string | undefined): void {
  rmSync(EXERCISED_FILE, { force: true });
  if (file && existsSync(file)) cpSync(file, EXERCISED_FILE);
}
