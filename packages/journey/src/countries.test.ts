import assert from 'node:assert/strict';
import { it } from 'node:test';
import { COUNTRIES, countriesIn, likelyCountry } from './countries.ts';
import { LANGUAGES } from './i18n/languages.ts';

it('the list has the 249 countries of ISO 3166-1, each with a code that has a name', () => {
  assert.equal(COUNTRIES.size, 249);
  assert.equal(new Set(COUNTRIES.values()).size, 249);
  const names = new Intl.DisplayNames(['en'], { type: 'region' });
  for (const [three, two] of COUNTRIES) {
    assert.match(`${three} ${two}`, /^[A-Z]{3} [A-Z]{2}$/);
    assert.notEqual(names.of(two), two, `${three} has no name`);
  }
  assert.deepEqual(
    ['DEU', 'CHE', 'AUT', 'GBR', 'ESP', 'POL', 'PRT', 'SVN', 'SVK', 'SWE'].map((each) => COUNTRIES.get(each)),
    ['DE', 'CH', 'AT', 'GB', 'ES', 'PL', 'PT', 'SI', 'SK', 'SE'],
  );
});

it('countries are named and put in order in every language of the app', () => {
  for (const language of LANGUAGES) {
    const list = countriesIn(language);
    assert.equal(list.length, 250);
    assert.ok(
      // Some languages have the code as the name of the United States.
      list.every(({ code, name }) => name !== code || code === 'USA'),
      language,
    );
  }
  assert.deepEqual(countriesIn('de', ['AUT', 'EGY', 'ZZZ']), [
    { code: 'EGY', name: 'Ägypten' },
    { code: 'AUT', name: 'Österreich' },
    { code: 'ZZZ', name: 'ZZZ' },
  ]);
});

it('a country is guessed from the browser, if it names one', () => {
  assert.equal(likelyCountry(['en', 'de-AT', 'fr-FR']), 'AUT');
  assert.equal(likelyCountry(['zh-Hant-TW']), 'TWN');
  assert.equal(likelyCountry(['en', 'ar-001']), undefined);
});
