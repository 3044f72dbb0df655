import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSite, distOf, isFreshSite, type Site } from './site-builder.ts';

/** Builds the pages of the journey. */
const SITE: Site = {
  home: dirname(fileURLToPath(import.meta.url)),
  sources: [
    'src',
    'messages',
    'public',
    'old-browser',
    'index.html',
    'package.json',
    'vite.config.ts',
    'early-plugin.ts',
  ],
};
export const DIST = distOf(SITE);

export const isFresh = () => isFreshSite(SITE);
export const build = () => buildSite(SITE);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wanted = !process.argv.includes('--if-needed') || !isFresh();
  if (wanted) await build();
}
