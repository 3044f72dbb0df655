import type { BarcodeReport, DocumentReport } from './measure-documents.ts';

const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;

/** Formats the table of a run, for people and for `bench/README.md`. */
export function documentTable(title: string, report: DocumentReport): string {
  const rows: [string, string][] = [
    ['documents', String(report.documents)],
    ['documents fully right', percent(report.documentsRight)],
    ['fields right', percent(report.fieldsRight)],
    ...Object.entries(report.byField).map(([name, { right, total }]): [string, string] => [
      `  ${name}`,
      `${right}/${total}`,
    ]),
    ['no zone found', String(report.notFound)],
    ['zone found where there is none', String(report.falselyFound)],
    ['time, median / p95', `${report.msMedian} / ${report.msP95} ms`],
    ['processor time, median / p95', `${report.cpuMsMedian} / ${report.cpuMsP95} ms`],
    ['of it the bare models, median', `${report.modelMsMedian} ms`],
    ['memory', `${report.rssMegabytes} MB`],
  ];
  const wrong = report.wrong.map(({ file, fields }) => `- ${file}: ${fields.join('; ')}`);
  return [table(title, rows), ...wrong].join('\n');
}

export function barcodeTable(report: BarcodeReport): string {
  const rows: [string, string][] = [
    ['codes', String(report.barcodes)],
    ['exactly right', percent(report.barcodesRight)],
    ['time, median', `${report.msMedian} ms`],
  ];
  return [table('PDF417', rows), ...report.wrong.map((file) => `- ${file}`)].join('\n');
}

function table(title: string, rows: readonly (readonly [string, string])[]): string {
  const widths = [0, 1].map((i) =>
    Math.max(...rows.map((row) => (row[i] as string).length), i === 0 ? title.length : 0),
  );
  const line = ([left, right]: readonly [string, string]): string =>
    `| ${left.padEnd(widths[0] as number)} | ${right.padStart(widths[1] as number)} |`;
  return [
    line([title, '']),
    `| ${'-'.repeat(widths[0] as number)} | ${'-'.repeat((widths[1] as number) - 1)}: |`,
    ...rows.map(line),
  ].join('\n');
}

const ROW = 26;
const LEFT = 150;
const BAR = 420;

/** Draws the rates of the fields as a bar chart. */
export function documentPlot(title: string, report: DocumentReport): string {
  const bars = [
    ['documents', report.documentsRight] as const,
    ...Object.entries(report.byField).map(
      ([name, { right, total }]) => [name, total === 0 ? 0 : right / total] as const,
    ),
  ];
  const rows = bars.map(([name, rate], i) => {
    const y = 40 + i * ROW;
    return `<text x="${LEFT - 8}" y="${y + 14}" text-anchor="end">${name}</text><rect x="${LEFT}" y="${y}" width="${(rate * BAR).toFixed(1)}" height="18" fill="#2b6cb0"/><text x="${LEFT + BAR + 8}" y="${y + 14}">${percent(rate)}</text>`;
  });
  const height = 50 + bars.length * ROW;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="660" height="${height}" font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="#fff"/><text x="12" y="24" font-weight="bold">${title}</text>${rows.join('')}</svg>\n`;
}
