/**
 * The measured errors that results quote. `docs/vision.md` shows this table, and a test keeps both the same. After a new
 * measurement, change the numbers here and run `npm run generate`.
 */
export type ErrorCount = { readonly what: string; readonly errors: number; readonly of: number };

/** Each face pack other than the default has its own errors. */
export type MeasuredMethod = 'challenge' | 'passive' | 'imageSigns' | 'faceMatch' | 'faceMatch, intel-0095';

export const MEASURED: Readonly<Record<MeasuredMethod, readonly ErrorCount[]>> = {
  challenge: [
    { what: 'portraits of the document, warped live, that were accepted', errors: 2, of: 104 },
    { what: 'photographs warped live by simple means that were accepted', errors: 2, of: 120 },
    { what: 'photographs warped live by all means that were accepted', errors: 7, of: 239 },
    { what: 'films made before the challenge that were accepted', errors: 0, of: 160 },
    { what: 'recordings of people that were not accepted at the first attempt', errors: 11, of: 37 },
    { what: 'recordings of people that were not accepted within three attempts', errors: 5, of: 37 },
  ],
  passive: [
    { what: 'faces on screens in which no attack was seen, `fr_liveness`', errors: 4, of: 16 },
    { what: 'faces on screens in which no attack was seen, MiniFASNet', errors: 2, of: 16 },
    { what: 'masks and bent cut-outs in which no attack was seen, either network', errors: 4, of: 4 },
    { what: 'people taken for an attack, `fr_liveness`', errors: 40, of: 279 },
    { what: 'people taken for an attack, MiniFASNet', errors: 7, of: 279 },
  ],
  imageSigns: [
    { what: 'grey copies in which no signs were found', errors: 1, of: 96 },
    { what: 'screens in which no signs were found', errors: 0, of: 30 },
    { what: 'fine prints (dots 2.6 pixels apart) in which no signs were found', errors: 8, of: 30 },
    { what: 'portraits pasted into the finished photograph in which no signs were found', errors: 0, of: 40 },
    { what: 'portraits stuck on beside a zone and photographed in which no signs were found', errors: 16, of: 49 },
    { what: 'portraits stuck on licences and photographed in which no signs were found', errors: 32, of: 54 },
    { what: 'pasted portraits with soft edges in which no signs were found', errors: 3, of: 53 },
    { what: 'digits of a zone exchanged in the photograph in which no signs were found', errors: 3, of: 32 },
    { what: 'digits of a zone copied in the photograph in which no signs were found', errors: 1, of: 48 },
    { what: 'digits of a zone under correction fluid in which no signs were found', errors: 0, of: 32 },
    { what: 'genuine specimens with a zone, photographed, in which signs were found', errors: 3, of: 56 },
    { what: 'genuine licences, photographed, in which signs were found', errors: 2, of: 53 },
  ],
  faceMatch: [
    { what: 'strangers accepted, in the worst group with many pairs (Asian men)', errors: 7, of: 78_752 },
    { what: 'pairs of one person not accepted at once, in the worst group (Black women)', errors: 25, of: 174 },
  ],
  'faceMatch, intel-0095': [
    { what: 'strangers accepted, in the worst group with many pairs (Asian men)', errors: 3, of: 78_752 },
    { what: 'pairs of one person not accepted at once, in the worst group (White women)', errors: 19, of: 74 },
  ],
};

const Z = 1.959964;

/** The interval of 95 % by Wilson, to six places. */
export function intervalOf({ errors, of }: ErrorCount): { low: number; high: number } {
  const share = errors / of;
  const scale = 1 + Z ** 2 / of;
  const middle = (share + Z ** 2 / (2 * of)) / scale;
  const half = (Z / scale) * Math.sqrt((share * (1 - share)) / of + Z ** 2 / (4 * of ** 2));
  return { low: toSixPlaces(Math.max(0, middle - half)), high: toSixPlaces(Math.min(1, middle + half)) };
}

function toSixPlaces(share: number): number {
  return Math.round(share * 1_000_000) / 1_000_000;
}
