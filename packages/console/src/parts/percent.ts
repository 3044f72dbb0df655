/** The expected size is an estimate, so 100 % is never shown. */
const MAX_SHARE = 0.99;

/** The percentage of a download; empty if the size is unknown. */
export function percentOf(bytes: number, expected: number, language: string): string {
  if (!(expected > 0)) return '';
  return new Intl.NumberFormat(language, { style: 'percent' }).format(Math.min(bytes / expected, MAX_SHARE));
}
