/**
 * How alike strangers are, measured (see `name`) by `npm run accuracy -- --faces lfw --pairs pairs.txt --calibrate`. The
 * score of a row is −log10(false-match rate) ÷ 8. Below one in a hundred thousand, wrong names in the data count for
 * more than likeness does, so from there the scale is drawn straight to 1 for the same picture. Strangers get rarer
 * faster than that: such scores promise less than they could.
 */
export const CALIBRATION = {
  name: 'LFW-2026-11-MIRROR',
  rows: [
    { cosine: -1, score: 0 },
    { cosine: 0.1335, score: 1 / 8 },
    { cosine: 0.1949, score: 1.5 / 8 },
    { cosine: 0.2476, score: 2 / 8 },
    { cosine: 0.295, score: 2.5 / 8 },
    { cosine: 0.3383, score: 3 / 8 },
    { cosine: 0.3776, score: 3.5 / 8 },
    { cosine: 0.4139, score: 4 / 8 },
    { cosine: 0.4494, score: 4.5 / 8 },
    { cosine: 0.4848, score: 5 / 8 },
    { cosine: 1, score: 1 },
  ],
} as const;
