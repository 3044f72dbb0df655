import type { Calibration } from './calibration.ts';
import { DEFAULT_PACK, packOfAlgorithm } from './packs.ts';
import { type FaceTemplate, TemplateFault } from './template.ts';

/** From this score on, two faces count as one person's, unless the caller decides otherwise. */
export const MATCH_SCORE = 0.5;

/**
 * From this cosine on, two pictures count as one photograph. Pictures of a person from different days have far less.
 * `docs/vision.md` explains the choice.
 */
const SAME_PICTURE_COSINE = 0.96;

export type TemplateMatch = {
  /**
   * From 0 to 1. Between strangers of the same sex and group, at most one comparison in 10^(8 × score) reaches it, in the
   * group where most do: 0.25 one in a hundred, 0.5 one in ten thousand. Beyond 0.5 the scale is drawn on and not measured.
   */
  readonly score: number;
  readonly cosine: number;
  readonly match: boolean;
  /** Neither a match nor strangers, so a human decides. */
  readonly isUncertain: boolean;
  /** Not only one person, but one photograph. */
  readonly isSamePicture: boolean;
  readonly algorithm: string;
  readonly calibration: string;
};

/** Throws `TemplateFault` if the two were not made the same way. */
export function matchTemplates(one: FaceTemplate, other: FaceTemplate): TemplateMatch {
  const pack = packOfAlgorithm(one.algorithm);
  if (!pack || one.algorithm !== other.algorithm || one.model.version !== other.model.version) {
    throw new TemplateFault('algorithm_not_supported');
  }
  const { calibration } = pack;
  const similarity = cosine(one.vector, other.vector);
  const score = scoreOf(similarity, calibration);
  const match = score >= MATCH_SCORE;
  return {
    score,
    cosine: similarity,
    match,
    isUncertain: !match && similarity >= calibration.humanFromCosine,
    isSamePicture: similarity >= SAME_PICTURE_COSINE,
    algorithm: one.algorithm,
    calibration: calibration.name,
  };
}

/** Of two unit vectors. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number);
  return Math.min(1, Math.max(-1, sum));
}

type Row = Calibration['rows'][number];

/** Interpolates linearly between the rows of the table. */
export function scoreOf(similarity: number, { rows }: Calibration = DEFAULT_PACK.calibration): number {
  return between(rows, similarity, { from: 'cosine', to: 'score' });
}

/** The cosine at which the score is reached: for searches, which compare cosines. */
export function cosineOf(score: number, { rows }: Calibration = DEFAULT_PACK.calibration): number {
  return between(rows, score, { from: 'score', to: 'cosine' });
}

function between(rows: readonly Row[], value: number, { from, to }: { from: keyof Row; to: keyof Row }): number {
  for (let at = 1; at < rows.length; at += 1) {
    const [low, high] = [rows[at - 1], rows[at]] as [Row, Row];
    if (value <= high[from]) {
      const share = Math.max(0, (value - low[from]) / (high[from] - low[from]));
      return low[to] + share * (high[to] - low[to]);
    }
  }
  return 1;
}
