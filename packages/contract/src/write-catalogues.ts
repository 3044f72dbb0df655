import { readFile, writeFile } from 'node:fs/promises';
import { renderCatalogues } from './catalogues.ts';

/** Writes the generated pages of docs; with `--check`, only reports which are stale. */
const folder = new URL('../../../docs/', import.meta.url);

for (const [name, fresh] of Object.entries(renderCatalogues())) {
  const file = new URL(name, folder);
  if (!process.argv.includes('--check')) await writeFile(file, fresh);
  else if ((await readFile(file, 'utf8').catch(() => '')) !== fresh) {
    console.error(`docs/${name} is stale: run node packages/contract/src/write-catalogues.ts`);
    process.exitCode = 1;
  }
}
