/** The expected size is an estimate, so the last hundredth is never claimed. */
const MAX_SHARE = 0.99;

/** How much of a file has come. Empty if its size is not known. */
export function percentOf(bytes: number, expected: number, language: string): string {
  if (!(expected > 0)) return '';
  return new Intl.NumberFormat(language, { style: 'percent' }).format(Math.min(bytes / expected, MAX_SHARE));
}
