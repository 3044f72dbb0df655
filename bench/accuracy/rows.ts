/** A line of the table: the measured value, and its bar. */
export type Row = { what: string; measured: string; bar?: string; ok?: boolean };

export function renderRows(rows: readonly Row[]): string {
  const cells = [
    ['what', 'measured', 'bar', ''],
    ...rows.map(({ what, measured, bar = '', ok }) => [
      what,
      measured,
      bar,
      ok === undefined ? '' : ok ? 'ok' : 'BELOW',
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(3, ...cells.map((row) => (row[column] ?? '').length)));
  const padded = cells.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`);
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [padded[0], rule, ...padded.slice(1)].join('\n');
}

export function percent(share: number, digits = 2): string {
  return `${(share * 100).toFixed(digits)} %`;
}

export type Outcome = {
  title: string;
  rows: Row[];
  json: Record<string, unknown>;
  plot?: string;
  /** More plots for the report, as SVG. */
  histograms?: readonly string[];
};

/** The rows in the form of the report. */
export function reportRows(rows: readonly Row[]): { columns: string[]; rows: string[][] } {
  return {
    columns: ['what', 'measured', 'bar'],
    rows: rows.map(({ what, measured, bar = '', ok }) => [what, measured, ok === false ? `${bar} (below)` : bar]),
  };
}
