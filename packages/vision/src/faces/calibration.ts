/**
 * The likeness of strangers. The score of a row is −log10(false-match rate) ÷ 8, where the rate is that of strangers of
 * the same sex and the same group, in the group with the highest rate (`npm run accuracy -- --groups`,
 * `docs/vision.md`). Beyond the last measured row the scale is a straight line to 1 for the same picture. Strangers get
 * rarer faster than that, so such scores are conservative.
 */
export type Calibration = {
  readonly name: string;
  readonly rows: readonly { readonly cosine: number; readonly score: number }[];
  /** From this cosine up to that of a match a human decides. Below it are strangers. */
  readonly humanFromCosine: number;
};

export const FACEPLUGIN_CALIBRATION: Calibration = {
  name: 'LFW-GROUPS-2026-11',
  rows: [
    { cosine: -1, score: 0 },
    { cosine: 0.23, score: 1 / 8 },
    { cosine: 0.31, score: 1.5 / 8 },
    { cosine: 0.36, score: 2 / 8 },
    { cosine: 0.41, score: 2.5 / 8 },
    { cosine: 0.45, score: 3 / 8 },
    { cosine: 0.475, score: 3.5 / 8 },
    { cosine: 0.5, score: 4 / 8 },
    { cosine: 1, score: 1 },
  ],
  humanFromCosine: 0.35,
};

export const INTEL_CALIBRATION: Calibration = {
  name: 'LFW-GROUPS-2026-11-INTEL-0095',
  rows: [
    { cosine: -1, score: 0 },
    { cosine: 0.29, score: 1 / 8 },
    { cosine: 0.37, score: 1.5 / 8 },
    { cosine: 0.43, score: 2 / 8 },
    { cosine: 0.48, score: 2.5 / 8 },
    { cosine: 0.52, score: 3 / 8 },
    { cosine: 0.55, score: 3.5 / 8 },
    { cosine: 0.6, score: 4 / 8 },
    { cosine: 1, score: 1 },
  ],
  humanFromCosine: 0.45,
};
