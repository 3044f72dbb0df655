import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { IntlMessageFormat } from 'intl-messageformat';
import { readMessages } from '../../messages-plugin.ts';
import { wordsIn } from '../../old-browser-plugin.ts';
import { LANGUAGES } from './languages.ts';
import { pseudo, pseudoText } from './pseudo.ts';
import { translator } from './translate.ts';

const HOME = new URL('../../', import.meta.url).pathname;
const AREAS = ['shell', 'steps', 'capture'] as const;

type Texts = Record<string, string>;
const textsOf = (area: string, language: string): Texts =>
  JSON.parse(readFileSync(`${HOME}messages/${area}/${language}.json`, 'utf8')) as Texts;

/** The names of the placeholders, and the forms of each plural. */
function argumentsOf(text: string): { names: string[]; forms: { name: string; given: string[] }[] } {
  const names = new Set<string>();
  const forms: { name: string; given: string[] }[] = [];
  const visit = (nodes: ReturnType<typeof parse>) => {
    for (const node of nodes) {
      if (node.type === TYPE.literal || node.type === TYPE.pound) continue;
      if ('value' in node) names.add(String(node.value));
      if (node.type === TYPE.plural || node.type === TYPE.select) {
        forms.push({ name: String(node.value), given: Object.keys(node.options) });
        for (const { value } of Object.values(node.options)) visit(value);
      }
    }
  };
  visit(parse(text, { ignoreTag: true }));
  return { names: [...names].sort(), forms };
}

describe('messages', () => {
  for (const area of AREAS) {
    const english = textsOf(area, 'en');
    for (const language of LANGUAGES) {
      it(`${area} in ${language} has every key, reads as ICU and fills in the same`, () => {
        const texts = textsOf(area, language);
        assert.deepEqual(Object.keys(texts).sort(), Object.keys(english).sort());
        for (const [key, text] of Object.entries(texts)) {
          assert.ok(text.trim() !== '', `${key} is empty`);
          const { names, forms } = argumentsOf(text);
          assert.deepEqual(names, argumentsOf(english[key] as string).names, key);
          const wanted = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
          for (const { given } of forms) {
            // Romance languages have a form for millions, which no message counts.
            const missing = wanted.filter((each) => !given.includes(each) && each !== 'many');
            const many =
              wanted.includes('many') && ['pl', 'ar', 'uk', 'cs'].includes(language) && !given.includes('many');
            assert.deepEqual([missing, many], [[], false], `${key} lacks forms of the plural`);
          }
        }
      });
    }
  }

  it('no message of another language is left in English', () => {
    const ENGLISH = /(?<!\p{L})(the|your|please|you|with|this|that|and|what)(?!\p{L})/iu;
    for (const language of LANGUAGES.filter((each) => each !== 'en')) {
      for (const area of AREAS) {
        const english = textsOf(area, 'en');
        for (const [key, text] of Object.entries(textsOf(area, language))) {
          const plain = text.replace(/\{[^{}]*\}/g, ' ');
          assert.doesNotMatch(plain, ENGLISH, `${language} ${key}`);
          const words = (english[key] as string).split(/\s+/).length;
          assert.ok(text !== english[key] || words < 3, `${language} ${key} is as in English`);
        }
      }
    }
  });

  it('pages for old browsers use the plural forms of Unicode, in every language', () => {
    for (const language of LANGUAGES) {
      const rules = new Intl.PluralRules(language);
      const { plurals } = wordsIn(language);
      for (let number = 0; number <= 1000; number++) {
        const form = plurals[number < 200 ? number : 100 + (number % 100)];
        assert.equal(form, rules.select(number), `${language} ${number}`);
      }
    }
  });

  it('the texts of a result tell no findings and no reasons, in any language', () => {
    const telling = /face|selfie|portrait|match|document|passport|list|fraud|fake|live|score|expired|machine/i;
    for (const language of LANGUAGES) {
      const results = Object.entries(textsOf('shell', language)).filter(([key]) => key.startsWith('result.'));
      assert.ok(results.length > 10);
      for (const [key, text] of results) {
        assert.deepEqual(
          argumentsOf(text).names.filter((name) => !['tenant', 'seconds'].includes(name)),
          [],
          `${language}: ${key}`,
        );
        if (language === 'en') assert.doesNotMatch(text, telling, key);
      }
    }
  });

  it('no two areas have the same key', () => {
    const keys = AREAS.flatMap((area) => Object.keys(textsOf(area, 'en')));
    assert.deepEqual(
      keys.filter((key, at) => keys.indexOf(key) !== at),
      [],
    );
  });

  it('every key that a view names is there', () => {
    const known = new Set(AREAS.flatMap((area) => Object.keys(textsOf(area, 'en'))));
    const missing = globSync('src/**/*.tsx', { cwd: HOME }).flatMap((file) => {
      const code = readFileSync(`${HOME}${file}`, 'utf8');
      const named = [...code.matchAll(/\bt\(\s*'([^']+)'/g)].map(([, key]) => key as string);
      return named.filter((key) => !known.has(key)).map((key) => `${file}: ${key}`);
    });
    assert.deepEqual(missing, []);
  });
});

describe('translating', () => {
  it('a translation fills in values, uses plural forms, and shows the key of a missing message', () => {
    const t = translator(
      readMessages({
        hello: 'Hello {name}',
        plain: 'Plain',
        days: textsOf('steps', 'pl')['consent.retention.text'] as string,
      }),
      'pl',
    );
    assert.deepEqual([t('hello', { name: 'Ada' }), t('plain'), t('nothing')], ['Hello Ada', 'Plain', 'nothing']);
    assert.deepEqual(
      [1, 2, 5].map((days) => t('days', { days }).slice(0, 13)),
      ['Przez 1 dzień', 'Przez 2 dni, ', 'Przez 5 dni, '],
    );
  });

  it('every message of every language is filled in as by the full implementation of ICU messages', () => {
    for (const language of LANGUAGES) {
      const texts = Object.assign({}, ...AREAS.map((area) => textsOf(area, language))) as Texts;
      const t = translator(readMessages(texts), language);
      for (const [key, text] of Object.entries(texts)) {
        const { names, forms } = argumentsOf(text);
        const counted = new Set(forms.map(({ name }) => name));
        for (const count of [0, 1, 2, 3, 5, 11, 21, 100, 1234]) {
          const values = Object.fromEntries(names.map((name) => [name, counted.has(name) ? count : `<${name}> ’`]));
          const full = new IntlMessageFormat(text, language, undefined, { ignoreTag: true });
          assert.equal(t(key, values), full.format(values), `${language} ${key} with ${count}`);
          if (names.length === 0) break;
        }
      }
    }
    const odd =
      '{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}} of {who, select, me {mine} other {{who}}}';
    const t = translator(readMessages({ odd }), 'en');
    for (const [n, who] of [
      [1, 'me'],
      [22, 'you'],
      [1013, ''],
    ] as const) {
      assert.equal(t('odd', { n, who }), new IntlMessageFormat(odd, 'en').format({ n, who }));
    }
    assert.equal(t('odd', { n: 3, who: 'toString' }), '3rd of toString');
  });

  it('the language of tests is at least forty per cent longer, also inside plurals', () => {
    assert.ok(pseudoText('Continue').length >= 8 * 1.4);
    const t = translator(
      pseudo(readMessages({ days: '{days, plural, one {# day} other {# days}}', plain: 'Go' })),
      'en',
    );
    assert.match(t('days', { days: 3 }), /^3 dáys lörem/);
    assert.match(t('plain'), /^Gö lörem/);
  });
});
