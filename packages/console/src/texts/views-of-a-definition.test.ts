import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';

it('the three views of a definition have three names in every language', () => {
  for (const texts of [en, de, ar]) {
    const names = [texts['outline.title'], texts['canvas.title'], texts['definitions.document']];
    assert.equal(new Set(names).size, 3, names.join(', '));
  }
});
