import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareName, namesIn } from './names.ts';

/** Print that was read clearly, except at some positions with other possible letters. */
function printOf(text: string, rivals: Readonly<Record<number, string>> = {}) {
  return { text, rivals: Array.from(text, (_, at) => rivals[at] ?? '') };
}

test('a name with another letter in it, clearly read, was changed, in print or in the zone', () => {
  assert.equal(compareName(printOf('ERIKSSON'), 'ERIKSSON'), 'same');
  assert.equal(compareName(printOf('ERIKSTON'), 'ERIKSSON'), 'changed');
  assert.equal(compareName(printOf('WINTERBOTTAN'), 'WINTERBOTTOM'), 'changed');
  assert.equal(compareName(printOf('ERIKSON'), 'ERIKSSON'), 'changed');
  assert.equal(compareName(printOf('ERIKSSONS'), 'ERIKSSON'), 'changed');
  assert.equal(compareName(printOf('HUGH'), 'HUGO'), 'changed');
  assert.equal(compareName(printOf('ANDERSEN'), 'ERIKSSON'), 'other');
  // Other words are as close to a short name as this.
  assert.equal(compareName(printOf('MA'), 'MO'), 'other');
});

test('a letter may differ if the reader found that of the zone possible, or was entirely unsure', () => {
  assert.equal(compareName(printOf('AEVARSOOTTIR', { 6: 'D' }), 'AEVARSDOTTIR'), 'same');
  assert.equal(compareName(printOf('AEVARSOOTTIR', { 6: 'C' }), 'AEVARSDOTTIR'), 'changed');
  assert.equal(compareName(printOf('EROKSSON', { 2: '?' }), 'ERIKSSON'), 'same');
  assert.equal(compareName(printOf('Vzon', { 3: 'r' }), 'VZOR'), 'same');
  assert.equal(compareName(printOf('MEULENDIK', { 8: 'J' }), 'MEULENDIJK'), 'same');
  assert.equal(compareName(printOf('BIRUTEL', { 6: '?' }), 'BIRUTE'), 'same');
  // More than a few letters are never misread.
  assert.equal(compareName(printOf('EROKSTON', { 2: '?', 5: 'S' }), 'ERIKSSON'), 'other');
});

test('letters that the reader does not know are no change', () => {
  assert.equal(compareName(printOf('OSTERGARD'), 'OESTERGAARD'), 'same');
  assert.equal(compareName(printOf('MULLER'), 'MUELLER'), 'same');
  assert.equal(compareName(printOf('MÜLLER'), 'MUELLER'), 'same');
  assert.equal(compareName(printOf('PURIDUR OSP'), 'THURIDUR OESP'), 'same');
  assert.equal(compareName(printOf('GARCIA NUNEZ'), 'GARCIA NUNEZ'), 'same');
  assert.equal(compareName(printOf('O’CONNOR'), 'OCONNOR'), 'same');
  assert.equal(compareName(printOf('ERIKSS0N'), 'ERIKSSON'), 'same');
});

test('a line with both names is two names, and keeps its other possible letters', () => {
  const [whole, one, other, ...more] = namesIn(printOf('ERIKSSON, ANNA', { 0: 'F', 10: 'H' }));
  assert.equal(whole?.text, 'ERIKSSON, ANNA');
  assert.deepEqual(one, printOf('ERIKSSON', { 0: 'F' }));
  assert.deepEqual(other, printOf(' ANNA', { 1: 'H' }));
  assert.deepEqual(more, []);
});

test('print that stops before the name does is incomplete, so it shows no other name', () => {
  assert.equal(compareName(printOf('NATACH'), 'NATACHA'), 'other');
  assert.equal(compareName(printOf('NATACHO'), 'NATACHA'), 'changed');
  assert.equal(compareName(printOf('NATAHA'), 'NATACHA'), 'changed');
});

test('a name behind a label and a colon is a name', () => {
  const names = namesIn(printOf('Prenom(s):CORINNE'));
  assert.ok(names.some((name) => compareName(name, 'CORINNE') === 'same'));
});
