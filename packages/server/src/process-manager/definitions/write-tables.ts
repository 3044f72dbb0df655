import { readFileSync, writeFileSync } from 'node:fs';
import { measuredTable } from '../assurance/measured-table.ts';
import { settingsTable, stepTable } from './step-table.ts';

/** Puts the tables of the code into the pages of the documentation, between their marks. */
for (const [name, mark, table] of [
  ['definitions.md', 'steps', stepTable()],
  ['definitions.md', 'settings', settingsTable()],
  ['vision.md', 'measured', measuredTable()],
] as const) {
  const path = new URL(`../../../../../docs/${name}`, import.meta.url);
  const between = new RegExp(`(<!-- ${mark} -->\n)[^]*(\n<!-- /${mark} -->)`);
  const page = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    page.replace(between, (_, before: string, after: string) => `${before}${table}${after}`),
  );
}
