import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listChanges, MAX_CHANGES } from './list-changes.ts';

describe('the changes of an object', () => {
  it('the changes of an object name the path of each, with the value before and after', () => {
    const before = { radius: 4, palette: { text: '#000000', border: '#777777' }, name: 'brand' };
    const after = { radius: 9, palette: { text: '#111111', border: '#777777' }, font: null, name: 'brand' };
    assert.deepEqual(listChanges(before, after), [
      { path: 'radius', before: '4', after: '9' },
      { path: 'palette/text', before: '"#000000"', after: '"#111111"' },
      { path: 'font', after: 'null' },
    ]);
  });

  it('the changes of a list of words are the added and the removed words, and for a new order the whole list', () => {
    assert.deepEqual(listChanges({ events: ['a', 'b'] }, { events: ['b', 'c'] }), [
      { path: 'events', before: '"a"' },
      { path: 'events', after: '"c"' },
    ]);
    assert.deepEqual(listChanges(['a', 'b'], ['b', 'a']), [{ path: '', before: '["a","b"]', after: '["b","a"]' }]);
  });

  it('the changes of a list match its entries by id, whatever their position', () => {
    const [one, two] = [{ id: 'one', when: 'true' }, { id: 'two' }];
    assert.deepEqual(listChanges([one, two], [{ id: 'new' }, { ...one, when: 'false' }]), [
      { path: 'one/when', before: '"true"', after: '"false"' },
      { path: 'two', before: '{"id":"two"}' },
      { path: 'new', after: '{"id":"new"}' },
    ]);
  });

  it('the changes of a list show entries that share an id as a whole', () => {
    const twice = [{ id: 'one' }, { id: 'one', a: 1 }];
    assert.deepEqual(listChanges(twice, []), [{ path: '', before: JSON.stringify(twice), after: '[]' }]);
  });

  it('the changes of an object are limited in number and length, whatever was changed', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, 'x'.repeat(5000)]));
    const changes = listChanges({}, many);
    assert.equal(changes.length, MAX_CHANGES);
    for (const { after = '' } of changes) assert.ok(after.length <= 301, after);
    const words = Array.from({ length: 200 }, (_, at) => `w${at}`);
    assert.equal(listChanges(words, []).length, MAX_CHANGES);
    let [deep, deeper]: object[] = [{ end: 1 }, { end: 2 }];
    for (let depth = 0; depth < 500; depth += 1) [deep, deeper] = [{ in: deep }, { in: deeper }];
    assert.equal(listChanges(deep, deeper).length, 1);
  });
});
