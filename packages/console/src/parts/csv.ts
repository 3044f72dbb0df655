import { saveFile } from './save-file.ts';

type Cells = readonly (string | number)[];

/** Saves rows as a CSV file. */
export function saveCsv(name: string, lines: readonly Cells[]): void {
  saveFile(`${name}.csv`, new Blob([csvOf(lines)], { type: 'text/csv' }));
}

/** Formats rows as CSV. A value that a spreadsheet would run as a formula becomes a text (OWASP, CSV Injection). */
export function csvOf(lines: readonly Cells[]): string {
  const text = lines.map((cells) => cells.map((cell) => quoted(String(cell))).join(',')).join('\r\n');
  return `${text}\r\n`;
}

const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

function quoted(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}
