import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { escaped } from './plot.ts';

/** The results of one run. Plots are SVG; no section has a picture of a person. */
export type Section = {
  readonly name: string;
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly plots: readonly string[];
};

const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));

/** Stores the section beside those of other runs, and writes the page with all of them. Returns the path of the page. */
export function writeSection(section: Section, folder = RESULTS): string {
  const sections = join(folder, 'sections');
  mkdirSync(sections, { recursive: true });
  writeFileSync(join(sections, `${section.name}.json`), JSON.stringify({ ...section, at: new Date().toISOString() }));
  const all = readdirSync(sections)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => JSON.parse(readFileSync(join(sections, file), 'utf8')) as Section & { at: string });
  const page = join(folder, 'report.html');
  writeFileSync(page, drawPage(all));
  return page;
}

function drawPage(sections: readonly (Section & { at: string })[]): string {
  const links = sections.map(({ name, title }) => `<li><a href="#${escaped(name)}">${escaped(title)}</a></li>`);
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>What was measured</title>
<style>:root{color-scheme:light dark}body{font:15px/1.5 system-ui;max-width:64rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;display:block;overflow-x:auto}td,th{padding:.3rem .7rem;text-align:left;border-bottom:1px solid #8886}
svg{max-width:100%;height:auto;background:#fff}</style>
<h1>What was measured</h1><ul>${links.join('')}</ul>
${sections.map(drawSection).join('\n')}</html>
`;
}

function drawSection({ name, title, columns, rows, plots, at }: Section & { at: string }): string {
  const line = (cells: readonly string[], tag: 'td' | 'th') =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
  const table = [line(columns, 'th'), ...rows.map((row) => line(row, 'td'))].join('');
  return `<h2 id="${escaped(name)}">${escaped(title)}</h2><p>Measured ${escaped(at)}.</p><table>${table}</table>${plots.join('')}`;
}
