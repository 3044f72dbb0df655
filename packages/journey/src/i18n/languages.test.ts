import assert from 'node:assert/strict';
import { it } from 'node:test';
import { chooseLanguage, directionOf } from './languages.ts';

it('the language of the link comes first, then the chosen one, the tenant’s, the browser’s, and English', () => {
  const browser = ['pl-PL', 'en'];
  assert.equal(chooseLanguage({ link: 'de', chosen: 'fr', tenant: 'es', browser }), 'de');
  assert.equal(chooseLanguage({ link: null, chosen: 'fr', tenant: 'es', browser }), 'fr');
  assert.equal(chooseLanguage({ link: null, chosen: null, tenant: 'es', browser }), 'es');
  assert.equal(chooseLanguage({ browser }), 'pl');
  assert.equal(chooseLanguage({ browser: [] }), 'en');
});

it('an unknown language is skipped, and a dialect counts as its language', () => {
  assert.equal(chooseLanguage({ link: 'ja', browser: ['ko-KR', 'pt_BR'] }), 'pt');
  assert.deepEqual(
    ['zh-CN', 'no', 'nn-NO'].map((link) => chooseLanguage({ link, browser: [] })),
    ['zh-Hans', 'nb', 'nb'],
  );
  assert.equal(chooseLanguage({ link: 'DE-at', browser: [] }), 'de');
});

it('Arabic is read from right to left', () => {
  assert.deepEqual([directionOf('ar'), directionOf('en')], ['rtl', 'ltr']);
});
