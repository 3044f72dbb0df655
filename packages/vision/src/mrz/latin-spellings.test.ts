import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latinSpellings } from './latin-spellings.ts';

test('Latin, Cyrillic and Greek words are spelled as on documents', () => {
  const table: readonly (readonly [string, ...string[]])[] = [
    ['Müller', 'MUELLER', 'MULLER'],
    ['Иванов', 'IVANOV'],
    ['Юлия', 'IULIIA', 'YULIYA'],
    ['Сергеевич', 'SERGEEVICH'],
    ['Григорій', 'HRYHORII'],
    ['Щербаков', 'SHCHERBAKOV'],
    ['Пъшев', 'PASHEV'],
    ['Ђорђевић', 'DORDEVIC', 'DJORDJEVIC'],
    ['Παπαδόπουλος', 'PAPADOPOULOS'],
    ['Ευάγγελος', 'EVANGELOS'],
  ];
  for (const [word, ...spellings] of table) {
    for (const spelling of spellings) assert.ok(latinSpellings(word).includes(spelling), `${word} ${spelling}`);
  }
});

test('a word of an unknown script has no Latin spelling', () => {
  for (const word of ['山田', 'محمد', 'שלום', '김', '…']) assert.deepEqual(latinSpellings(word), []);
});
