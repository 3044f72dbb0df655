import { readFileSync } from 'node:fs';

/**
 * Which files of tests share a process. To load the server takes longer than most of its tests, so those that keep to
 * themselves are loaded together, a few at a time.
 */
export type Grouped = { apart: string[]; together: string[][] };

export const MAX_FILES_TOGETHER = 12;

/** Most tests of these ask functions or an application of their own; those elsewhere start commands, browsers, models. */
const SHARING = /^packages\/((contract|journey|sdk|server)\/src|server\/test)\//;

/**
 * What belongs to a whole process: a hook of the file would be one of all files, and the environment is everybody's.
 * Whoever starts processes takes long, and is better begun early.
 */
const KEEPS_APART = [
  /^(before|after)(Each)?\(/m,
  /^await (test|it|describe)\(/m,
  /process\.(on|once|chdir|exit|memoryUsage|cpuUsage)\b/,
  /process\.env(\.\w+)? *=[^=]|delete process\.env/,
  /\bmock\.(timers|method|module)\b/,
  /\b(testChildren|openBrowser|openVision|startPostgres|startCeph)\(/,
  /GROVE_VISION: 'lazy'/,
  /from '(node:child_process|node:worker_threads|playwright-core)'/,
];

export function groupTests(files: readonly string[], read = (file: string) => readFileSync(file, 'utf8')): Grouped {
  const apart: string[] = [];
  const sharing: string[] = [];
  for (const file of files) {
    const shares = SHARING.test(file.replaceAll('\\', '/')) && !isApart(read(file));
    (shares ? sharing : apart).push(file);
  }
  const count = Math.ceil(sharing.length / MAX_FILES_TOGETHER);
  // Neighbours are of a kind: dealt out like cards, no group is left with all the slow ones.
  const together = Array.from({ length: count }, (_, group) => sharing.filter((_, at) => at % count === group));
  return { apart, together };
}

function isApart(text: string): boolean {
  return KEEPS_APART.some((sign) => sign.test(text));
}
