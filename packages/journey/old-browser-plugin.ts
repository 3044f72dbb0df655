import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { readMessages } from './messages-plugin.ts';
import { sidesOf } from './src/capture/document/plan-sides.ts';
import { FAULT_TEXTS } from './src/capture/fault-text.ts';
import { countriesIn } from './src/countries.ts';
import { TROUBLES } from './src/explain-problem.ts';
import { PURPOSES } from './src/form/form-fields.ts';
import { directionOf, LANGUAGE_ALIASES, LANGUAGES } from './src/i18n/languages.ts';
import { ASK_EVERY_MS, BEHIND, CONSENT_PAGE, MAX_UPLOAD_BYTES, PHOTO_TYPES } from './src/page-rules.ts';

/**
 * Makes the pages for browsers without modules: one script, which begins with the rules that it shares with the app,
 * and a file of texts for each language, because such browsers can neither parse messages nor name countries.
 */
const AREAS = ['shell', 'steps', 'capture'];
const SPOKEN =
  /^(again|back|continue|loading|reference|sandbox|progress|unable|start\.phone|camera\.file|upload\.sending)$|^(old|ownWindow|note|trouble|result|elsewhere|watching|paused|waiting|unable|confirm|handOff|choice|consent|decline|field|form|switch|document|face|fault|file)\./;

const SCRIPT = 'old-browser.js';
const PAGE = '/journey/index.html';
/** In the languages of the app, plural forms repeat by hundreds from 200 on. */
const PLURALS = 200;

export function oldBrowser(): Plugin {
  let base = '/';
  return {
    name: 'grove-old-browser',
    apply: 'build',
    configResolved(config) {
      base = config.base;
    },
    transformIndexHtml(_html, { filename }) {
      const attrs = { nomodule: true, defer: true, src: `${base}${SCRIPT}` };
      return filename.endsWith(PAGE) ? [{ tag: 'script', attrs, injectTo: 'head' as const }] : [];
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: SCRIPT, source: oldBrowserScript() });
      for (const language of LANGUAGES) {
        const source = JSON.stringify(wordsIn(language));
        this.emitFile({ type: 'asset', fileName: `plain/${language}.json`, source });
      }
    },
  };
}

export function oldBrowserScript(): string {
  const rules = {
    languages: LANGUAGES,
    languageAliases: LANGUAGE_ALIASES,
    rightToLeft: LANGUAGES.filter((language) => directionOf(language) === 'rtl'),
    troubles: TROUBLES,
    behind: BEHIND,
    askEveryMs: ASK_EVERY_MS,
    consentPage: CONSENT_PAGE,
    photoTypes: PHOTO_TYPES,
    maxUploadBytes: MAX_UPLOAD_BYTES,
    sides: {
      front: sidesOf('front', ''),
      both: sidesOf('both', ''),
      PASSPORT: sidesOf('auto', 'PASSPORT'),
      other: sidesOf('auto', ''),
    },
  };
  const scripts = ['steps.js', 'journey.js'].map((name) =>
    readFileSync(new URL(`old-browser/${name}`, import.meta.url), 'utf8'),
  );
  return [`window.groveRules = ${JSON.stringify(rules)};`, ...scripts].join('\n');
}

export function wordsIn(language: string) {
  const plurals = new Intl.PluralRules(language);
  const all = AREAS.flatMap((area) => {
    const file = new URL(`messages/${area}/${language}.json`, import.meta.url);
    return Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>);
  });
  return {
    texts: readMessages(Object.fromEntries(all.filter(([key]) => SPOKEN.test(key)))),
    plurals: Array.from({ length: PLURALS }, (_, number) => plurals.select(number)),
    countries: countriesIn(language).map(({ code, name }) => [code, name]),
    faults: FAULT_TEXTS,
    fields: PURPOSES,
  };
}
