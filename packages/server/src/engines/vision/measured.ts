/**
 * The measured errors that results quote, kept here alone: `docs/vision.md` shows this table, and a test keeps both the
 * same. Whoever measures again changes the numbers here and runs `npm run generate`.
 */
export type Counted = { readonly what: string; readonly errors: number; readonly of: number };

export type MeasuredMethod = 'challenge' | 'passive' | 'imageSigns' | 'faceMatch';

export const MEASURED: Readonly<Record<MeasuredMethod, readonly Counted[]>> = {
  challenge: [{ what: 'forged films made from one photograph that were accepted', errors: 15, of: 16 }],
  passive: [
    { what: 'prints, screens and masks in which no attack was seen', errors: 7, of: 14 },
    { what: 'genuine pictures that were taken for an attack', errors: 1, of: 64 },
  ],
  imageSigns: [],
  faceMatch: [
    { what: 'strangers of the same sex and group that match', errors: 21, of: 11825 },
    { what: 'pairs of pictures of one person that do not match', errors: 9, of: 450 },
  ],
};

const Z = 1.959964;

/** The interval of 95 % by Wilson, to four places. */
export function intervalOf({ errors, of }: Counted): { low: number; high: number } {
  const share = errors / of;
  const scale = 1 + Z ** 2 / of;
  const middle = (share + Z ** 2 / (2 * of)) / scale;
  const half = (Z / scale) * Math.sqrt((share * (1 - share)) / of + Z ** 2 / (4 * of ** 2));
  return { low: rounded(Math.max(0, middle - half)), high: rounded(Math.min(1, middle + half)) };
}

function rounded(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
