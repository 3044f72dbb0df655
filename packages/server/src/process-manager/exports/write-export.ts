import type { toListItem } from '../instances/instance-view.ts';

/** The lines of an exported file. Pure. */
type Item = ReturnType<typeof toListItem>;

const COLUMNS: readonly (readonly [title: string, cellOf: (item: Item) => string | number | undefined])[] = [
  ['id', ({ id }) => id],
  ['status', ({ status }) => status],
  ['statusMapped', ({ statusMapped }) => statusMapped],
  ['processDefnName', ({ processDefnName }) => processDefnName],
  ['processDefnVersion', ({ processDefnVersion }) => processDefnVersion],
  ['firstName', ({ firstName }) => firstName],
  ['lastName', ({ lastName }) => lastName],
  ['email', ({ email }) => email],
  ['phoneNumber', ({ phoneNumber }) => phoneNumber],
  ['externalReference', ({ externalReference }) => externalReference],
  ['createdAt', ({ createdAt }) => createdAt],
  ['elapsedMilliseconds', ({ elapsedMilliseconds }) => elapsedMilliseconds],
  ['expiringDtm', ({ expiringDtm }) => expiringDtm],
  ['reviewStatus', ({ review }) => review?.status],
  ['reviewer', ({ review }) => review?.reviewer],
  ['reviewComment', ({ review }) => review?.comment],
];

/** A value that a spreadsheet would run as a formula gets a leading apostrophe (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

export type ExportWriter = { head: string; rowOf(item: Item, isFirst: boolean): string; tail: string };

export const WRITERS: Readonly<Record<'CSV' | 'JSON', ExportWriter>> = {
  CSV: {
    head: lineOf(COLUMNS.map(([title]) => title)),
    rowOf: (item) => lineOf(COLUMNS.map(([, cellOf]) => cellOf(item) ?? '')),
    tail: '',
  },
  JSON: {
    head: '[',
    rowOf: (item, isFirst) => `${isFirst ? '' : ','}\n${JSON.stringify(item)}`,
    tail: '\n]\n',
  },
};

function lineOf(cells: readonly (string | number)[]): string {
  const quoted = cells.map((cell) => {
    const text = String(cell);
    return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  });
  return `${quoted.join(',')}\r\n`;
}
