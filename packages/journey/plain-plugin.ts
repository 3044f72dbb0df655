import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { readMessages } from './messages-plugin.ts';
import { FAULT_TEXTS } from './src/capture/fault-text.ts';
import { countriesIn } from './src/countries.ts';
import { PURPOSES } from './src/form/form-fields.ts';
import { LANGUAGES } from './src/i18n/languages.ts';

/** What browsers that know no modules are told, a file for each language: they can neither read messages nor name countries. */
const AREAS = ['shell', 'steps', 'capture'];
const SPOKEN =
  /^(again|back|continue|loading|reference|sandbox|progress|unable|start\.phone|camera\.file|upload\.sending)$|^(old|ownWindow|note|trouble|result|elsewhere|watching|paused|waiting|unable|confirm|handOff|choice|consent|decline|field|form|switch|document|face|fault|file)\./;

export function plainTexts(): Plugin {
  return {
    name: 'grove-plain-texts',
    apply: 'build',
    generateBundle() {
      for (const language of LANGUAGES) {
        const source = JSON.stringify(textsOf(language));
        this.emitFile({ type: 'asset', fileName: `plain/${language}.json`, source });
      }
    },
  };
}

function textsOf(language: string) {
  const all = AREAS.flatMap((area) => {
    const file = new URL(`messages/${area}/${language}.json`, import.meta.url);
    return Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>);
  });
  return {
    texts: readMessages(Object.fromEntries(all.filter(([key]) => SPOKEN.test(key)))),
    countries: countriesIn(language).map(({ code, name }) => [code, name]),
    faults: FAULT_TEXTS,
    fields: PURPOSES,
  };
}
