import { readFileSync } from 'node:fs';

/**
 * Decides which test files share a process. Loading the server takes longer than most of its tests, so files that do not
 * change their process are loaded together, a few at a time.
 */
export type Grouped = {
  apart: string[];
  /** Groups that load the models of vision. They take longest, so they should begin early. */
  withModels: string[][];
  /** Groups that share a browser. */
  withBrowser: string[][];
  /** Groups that start commands and servers, which take long as well. */
  withChildren: string[][];
  together: string[][];
};

export const MAX_FILES_TOGETHER = 20;
export const MAX_FILES_WITH_BROWSER = 3;
export const MAX_FILES_WITH_CHILDREN = 4;

/** Most tests in these folders call functions or an application of their own. Other tests start commands and browsers. */
const SHARING = /^(packages\/((cli|contract|journey|sdk|server)\/src|server\/test)|bench\/accuracy)\//;
/** These share a process only with each other, because loading the models takes as long as loading the server. */
const WITH_MODELS = /^packages\/vision\/src\//;
/** These share a browser with each other, because starting a browser and a server takes as long as a journey. */
const WITH_BROWSER = /^packages\/journey\/test\//;

/** Signs of a file that changes the whole process: its hooks would run for all files, and all files share the environment. */
const KEEPS_APART = [
  /^(before|after)(Each)?\(/m,
  /^await (test|it|describe)\(/m,
  /process\.(on|once|chdir|exit|memoryUsage|cpuUsage)\b/,
  /process\.env(\.\w+)? *=[^=]|delete process\.env/,
  /\bmock\.(timers|method|module)\b/,
  /\b(openBrowser|openVision|startPostgres|startPatroni|startCeph)\(/,
  /GROVE_VISION: 'lazy'/,
  // Other tests write statements of their own into the list.
  /import \{[^}]*\bstatements\b[^}]*\} from/,
  /from 'node:worker_threads'/,
  /\bchromium\b/,
];
const HAS_CHILDREN = /\btestChildren\(|from '(node:child_process|[./]+\/test\/(grove|configuration)\.ts)'/;
/** Files that use a browser share a process only with each other. */
const HAS_BROWSER = /from '(playwright-core|[./]+\/(capture-)?stage\.ts)'/;

export function groupTests(files: readonly string[], read = (file: string) => readFileSync(file, 'utf8')): Grouped {
  const texts = new Map(files.map((file) => [file, read(file)]));
  const mayShare = files.filter((file) => !isApart(texts.get(file) ?? ''));
  const hasBrowser = (file: string) => HAS_BROWSER.test(texts.get(file) ?? '');
  const matching = (folders: RegExp) => mayShare.filter((file) => folders.test(file.replaceAll('\\', '/')));
  const withBrowser = matching(WITH_BROWSER).filter(hasBrowser);
  const [withModels, others] = [WITH_MODELS, SHARING].map((folders) =>
    matching(folders).filter((file) => !hasBrowser(file)),
  ) as [string[], string[]];
  const hasChildren = (file: string) => HAS_CHILDREN.test(texts.get(file) ?? '');
  const sharing = new Set([...withModels, ...withBrowser, ...others]);
  return {
    apart: files.filter((file) => !sharing.has(file)),
    withModels: dealOut(withModels),
    withBrowser: inRows(withBrowser, MAX_FILES_WITH_BROWSER),
    withChildren: inRows(others.filter(hasChildren), MAX_FILES_WITH_CHILDREN),
    together: dealOut(others.filter((file) => !hasChildren(file))),
  };
}

/** Groups neighbours, because they have the same needs: the same browser flags, or a server or only a command. */
function inRows(files: readonly string[], most: number): string[][] {
  const count = Math.ceil(files.length / most);
  return Array.from({ length: count }, (_, row) => files.slice(row * most, (row + 1) * most));
}

/** Deals out the files like cards, because neighbours take equally long: so no group gets all the slow files. */
function dealOut(files: readonly string[]): string[][] {
  const count = Math.ceil(files.length / MAX_FILES_TOGETHER);
  return Array.from({ length: count }, (_, group) => files.filter((_, at) => at % count === group));
}

function isApart(text: string): boolean {
  return KEEPS_APART.some((sign) => sign.test(text));
}
