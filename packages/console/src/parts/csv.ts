/** Rows as a file. A value that a spreadsheet would run is made a text. */
export function saveCsv(name: string, lines: readonly (readonly (string | number)[])[]): void {
  const text = lines.map((cells) => cells.map((cell) => quoted(String(cell))).join(',')).join('\r\n');
  const url = URL.createObjectURL(new Blob([`${text}\r\n`], { type: 'text/csv' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: `${name}.csv` });
  link.click();
  URL.revokeObjectURL(url);
}

function quoted(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}
