import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { VARIABLES } from './config-variables.ts';
import { configurationTable } from './configuration-table.ts';

const PAGE = new URL('../../../docs/configuration.md', import.meta.url);

describe('the table of the configuration', () => {
  it('the table of the configuration is the one in the documentation; paste the new one between the marks if this fails', () => {
    const page = readFileSync(PAGE, 'utf8');
    const table = /<!-- variables -->\n([\s\S]*)\n<!-- \/variables -->/.exec(page)?.[1]?.trim();
    assert.equal(table, configurationTable());
  });

  it('the table of the configuration has a row of three cells for each variable, in the order of the code', () => {
    const rows = configurationTable().split('\n').slice(2);
    assert.deepEqual(
      rows.map((row) => /^\| `([A-Z_]+)` +\|/.exec(row)?.[1]),
      Object.keys(VARIABLES),
    );
    for (const row of rows) {
      assert.equal(row.match(/(?<!\\)\|/g)?.length, 4, row);
      assert.doesNotMatch(row, /[<>]/);
    }
  });
});
