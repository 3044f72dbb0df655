import { VARIABLES } from './config-variables.ts';

/** The table of `docs/configuration.md`, as the formatter writes it: a test keeps the page and the code the same. */
export function configurationTable(): string {
  const head = ['variable', 'default', 'what it is'];
  const rows = Object.entries(VARIABLES).map(([name, { default: value, about }]) => [
    `\`${name}\``,
    value && `\`${value}\``,
    inCell(about),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Angle brackets would be read as HTML and vanish; a bar would end the cell. */
function inCell(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('|', '\\|');
}
