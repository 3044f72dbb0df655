import { existsSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What the tests made the server answer: one line for each route, status and code, written by every test process. */
export type Exercised = { readonly route: string; readonly status: number; readonly code?: number | undefined };

export const EXERCISED_FILE = fileURLToPath(new URL('../node_modules/.cache/grove/exercised.txt', import.meta.url));

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

export function forgetExercised(): void {
  rmSync(EXERCISED_FILE, { force: true });
}
