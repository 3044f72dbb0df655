import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transliterate, transliterations } from './transliterate.ts';

test('Latin letters are written as in ICAO 9303 part 3', () => {
  const table: Readonly<Record<string, string>> = {
    Müller: 'MUELLER',
    Weißhaupt: 'WEISSHAUPT',
    Þórsdóttir: 'THORSDOTTIR',
    Østergård: 'OESTERGAARD',
    Łukasiewicz: 'LUKASIEWICZ',
    Dvořák: 'DVORAK',
    Núñez: 'NUNEZ',
    Yılmaz: 'YILMAZ',
    İnönü: 'INOENUE',
    Đặng: 'DANG',
    'O’Connor': 'OCONNOR',
    'Jean-Luc d’Arc': 'JEAN LUC DARC',
    Əliyev: 'ELIYEV',
    'van  der Berg': 'VAN DER BERG',
  };
  for (const [name, zone] of Object.entries(table)) assert.equal(transliterate(name), zone);
});

test('the other spellings of the table are known', () => {
  assert.ok(transliterations('Müller').includes('MULLER'));
  assert.ok(transliterations('Åkesson').includes('AKESSON'));
  assert.ok(transliterations('Peña').includes('PENXXA'));
});
