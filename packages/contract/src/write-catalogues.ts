import { readFile, writeFile } from 'node:fs/promises';
import { renderCatalogues } from './catalogues.ts';

/** Writes docs/catalogues.md; with `--check`, only tells whether it is stale. */
const file = new URL('../../../docs/catalogues.md', import.meta.url);
const fresh = renderCatalogues();

if (process.argv.includes('--check')) {
  const stored = await readFile(file, 'utf8').catch(() => '');
  if (stored !== fresh) {
    console.error('docs/catalogues.md is stale: run node packages/contract/src/write-catalogues.ts');
    process.exitCode = 1;
  }
} else {
  await writeFile(file, fresh);
}
