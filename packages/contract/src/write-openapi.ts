import { readFile, writeFile } from 'node:fs/promises';
import packageJson from '../package.json' with { type: 'json' };
import { buildOpenApi, renderOpenApi } from './openapi.ts';

/** Writes openapi.json; with `--check`, only reports whether it is stale. */
const file = new URL('../openapi.json', import.meta.url);
const fresh = renderOpenApi(buildOpenApi({ version: packageJson.version }));

if (process.argv.includes('--check')) {
  const stored = await readFile(file, 'utf8').catch(() => '');
  if (stored !== fresh) {
    console.error('packages/contract/openapi.json is stale: run node packages/contract/src/write-openapi.ts');
    process.exitCode = 1;
  }
} else {
  await writeFile(file, fresh);
}
