import { readFileSync, writeFileSync } from 'node:fs';
import { settingsTable, stepTable } from './step-table.ts';

/** Puts the tables of the code into the page about definitions, between their marks. */
const path = new URL('../../../../../docs/definitions.md', import.meta.url);
let page = readFileSync(path, 'utf8');
for (const [mark, table] of [
  ['steps', stepTable()],
  ['settings', settingsTable()],
] as const) {
  const between = new RegExp(`(<!-- ${mark} -->\n)[^]*(\n<!-- /${mark} -->)`);
  page = page.replace(between, (_, before: string, after: string) => `${before}${table}${after}`);
}
writeFileSync(path, page);
