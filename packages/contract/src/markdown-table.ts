/** A notice in every generated page, for people who open the page in an editor. */
export const GENERATED = '<!-- Generated from the contract by `npm run generate`; do not edit. -->';

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Renders a table as Markdown. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
}
