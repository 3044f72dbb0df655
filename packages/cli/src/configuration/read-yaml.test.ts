import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readYaml } from './read-yaml.ts';

describe('a file of configuration', () => {
  const read = (text: string) => readYaml('one.yaml', text);

  it('a file that contains itself, or repeats itself too often, has a fault', () => {
    const rows = Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(10)}]`);
    const texts = ['name: &a [*a]', 'name: &a { self: *a }', ['a0: &a0 [x]', ...rows].join('\n')];
    for (const text of texts) {
      const { faults = [] } = read(text) as { faults?: string[] };
      assert.equal(faults.length, 1, text.slice(0, 30));
      assert.match(faults[0] ?? '', /^one\.yaml:1:1 .+$/);
    }
  });

  it('a file may use aliases, and holds plain JSON', () => {
    const { value } = read('name: &a one\ntags: [*a, *a]\nat: 2030-01-31') as { value?: object };
    assert.deepEqual(value, { name: 'one', tags: ['one', 'one'], at: '2030-01-31' });
  });
});
