import assert from 'node:assert/strict';
import { it } from 'node:test';
import { closest, didYouMean, longerName, shorterName } from './closest.ts';

const types = ['consent', 'form', 'face', 'faceMatch', 'document', 'decision'];

it('closest suggests a known word for one with a letter too many, too few, wrong, swapped or in the wrong case', () => {
  const suggestions: Record<string, string> = {
    consnet: 'consent',
    consennt: 'consent',
    consen: 'consent',
    facematch: 'faceMatch',
    faceMtach: 'faceMatch',
    frm: 'form',
    decison: 'decision',
  };
  for (const [word, type] of Object.entries(suggestions)) assert.equal(closest(word, types), type, word);
});

it('closest suggests nothing for a word that is similar to none, nor for one that is too long to compare', () => {
  for (const word of ['', 'x', 'telepathy', 'consent'.repeat(10), 'x'.repeat(1_000_000)]) {
    assert.equal(didYouMean(word, types), '');
  }
});

it('closest allows four mistakes in a long word, and not five', () => {
  const [long] = ['processDefinitionVersionNumber'];
  assert.equal(closest('prcessDefnitionVersinNumbr', [long as string]), long);
  assert.equal(closest('prcssDefnitionVersinNumbr', [long as string]), undefined);
});

it('closest suggests for a short name the only longer name that ends with it, and nothing if several do', () => {
  const names = ['page', 'processInstanceStatus', 'startDateTime', 'endDateTime', 'typewriter'];
  assert.equal(longerName('status', names), 'processInstanceStatus');
  assert.equal(longerName('instanceStatus', names), 'processInstanceStatus');
  for (const word of ['', 'dateTime', 'tatus', 'type', 'writer', 'x'.repeat(1_000_000)]) {
    assert.equal(longerName(word, names), undefined, word.slice(0, 10));
  }
});

it('closest suggests for a former name the longest name that it begins with, word by word', () => {
  const names = ['', 'page', 'authenticator', 'authenticatorSelection'];
  assert.equal(shorterName('authenticatorSelectionCriteria', names), 'authenticatorSelection');
  assert.equal(shorterName('pageNumber', names), 'page');
  for (const word of ['', 'pageant', 'pages', 'page', 'number', `page${'X'.repeat(50)}`]) {
    assert.equal(shorterName(word, names), undefined, word);
  }
});
