import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { normaliseValue } from './normalise-value.ts';

describe('the normal spelling of values', () => {
  for (const [spelt, plain] of [
    ['L898902C3', 'L898902C3'],
    [' l898 902-c3 ', 'L898902C3'],
    ['L898902C<3<<', 'L898902C3'],
    ['Ｌ８９８９０２Ｃ３', 'L898902C3'],
    ['АВ 123', 'АВ123'],
    ['--', undefined],
    ['9'.repeat(51), undefined],
  ] as const) {
    it(`the normal spelling of the document number ${JSON.stringify(spelt.slice(0, 20))} is ${plain}`, () => {
      assert.equal(normaliseValue('DOCUMENT_NUMBER', spelt), plain);
    });
  }

  for (const [spelt, plain] of [
    ['ada@example.com', 'ada@example.com'],
    [' Ada@EXAMPLE.com. ', 'ada@example.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['ada.byrne+x@example.com', 'ada.byrne+x@example.com'],
    ['ada', undefined],
    ['ada@', undefined],
    ['@example.com', undefined],
    ['ada@one@two', undefined],
    ['ada byrne@example.com', undefined],
    [`${'a'.repeat(250)}@example.com`, undefined],
  ] as const) {
    it(`the normal spelling of the address ${JSON.stringify(spelt.slice(0, 30))} is ${plain}`, () => {
      assert.equal(normaliseValue('EMAIL', spelt), plain);
    });
  }
});
