import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSite, distOf, isFreshSite, type Site } from '../journey/site-builder.ts';

/** Builds the console. Its routes are generated from the contract. */
const SITE: Site = {
  home: dirname(fileURLToPath(import.meta.url)),
  sources: ['src', 'public', 'index.html', 'package.json', '../contract/src', '../journey/site-builder.ts'],
};
export const DIST = distOf(SITE);

export const isFresh = () => isFreshSite(SITE);
export const build = () => buildSite(SITE);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wanted = !process.argv.includes('--if-needed') || !isFresh();
  if (wanted) await build();
}
