import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { Plugin } from 'vite';
import { MODEL_FILES, MODEL_FOLDER } from './src/capture/face/model-files.ts';

/** Puts the weights that packages carry beside the app: a browser asks nobody else for them. */
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

/**
 * The finder of corners can also load a network from somebody else's server. Ours never does, and what is not in the
 * build cannot.
 */
export function onlyOurs(): Plugin {
  const nothing = '\0grove-nothing';
  return {
    name: 'grove-only-ours',
    enforce: 'pre',
    resolveId: (source) => (/scanic-mlDetector\.js$/.test(source) ? nothing : null),
    load: (id) => (id === nothing ? 'export {};' : null),
  };
}

/** Packages say what may be imported from them; weights are not, so their folder is found by its description. */
function placeOf(file: string): string {
  const [scope = '', name = '', ...rest] = file.split('/');
  const description = findPackageJSON(`${scope}/${name}`, import.meta.url);
  if (!description) throw new Error(`${scope}/${name} is not installed`);
  return join(dirname(description), ...rest);
}
