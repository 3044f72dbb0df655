import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { Plugin } from 'vite';
import { MODEL_FILES, MODEL_FOLDER } from './src/capture/face/model-files.ts';

/** Puts the models of the packages beside the app, so that browsers load them from no other server. */
export function models(): Plugin {
  return {
    name: 'grove-models',
    generateBundle() {
      for (const file of MODEL_FILES) {
        this.emitFile({
          type: 'asset',
          fileName: `${MODEL_FOLDER}${basename(file)}`,
          source: readFileSync(placeOf(file)),
        });
      }
    },
  };
}

/** Removes the code by which the corner finder could load a network from a third party's server. */
export function onlyOurs(): Plugin {
  const emptyModule = '\0grove-nothing';
  return {
    name: 'grove-only-ours',
    enforce: 'pre',
    resolveId: (source) => (/scanic-mlDetector\.js$/.test(source) ? emptyModule : null),
    load: (id) => (id === emptyModule ? 'export {};' : null),
  };
}

/** Packages list what may be imported from them, without the models, so their folder is found by their package.json. */
function placeOf(file: string): string {
  const [scope = '', name = '', ...rest] = file.split('/');
  const description = findPackageJSON(`${scope}/${name}`, import.meta.url);
  if (!description) throw new Error(`${scope}/${name} is not installed`);
  return join(dirname(description), ...rest);
}
