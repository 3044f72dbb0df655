import { CALIBRATION } from './calibration.ts';
import { type FaceTemplate, TemplateFault } from './template.ts';

/** From this score on, two faces are taken for one person's, unless the caller decides otherwise. */
export const MATCH_SCORE = 0.5;

export type TemplateMatch = {
  /**
   * From 0 to 1. Between strangers, one comparison in 10^(8 × score) reaches it: 0.25 one in a hundred, 0.5 one in ten
   * thousand. Beyond 0.625, one in a hundred thousand, the scale is drawn on and not measured.
   */
  readonly score: number;
  readonly cosine: number;
  readonly match: boolean;
  readonly algorithm: string;
  readonly calibration: string;
};

/** Throws `TemplateFault` if the two were not made the same way. */
export function matchTemplates(one: FaceTemplate, other: FaceTemplate): TemplateMatch {
  if (one.algorithm !== other.algorithm || one.model.version !== other.model.version) {
    throw new TemplateFault('algorithm_not_supported');
  }
  const similarity = cosine(one.vector, other.vector);
  const score = scoreOf(similarity);
  return {
    score,
    cosine: similarity,
    match: score >= MATCH_SCORE,
    algorithm: one.algorithm,
    calibration: CALIBRATION.name,
  };
}

/** Of two unit vectors. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number);
  return Math.min(1, Math.max(-1, sum));
}

/** Straight lines between the rows of the table. */
export function scoreOf(similarity: number): number {
  const { rows } = CALIBRATION;
  for (let at = 1; at < rows.length; at += 1) {
    const [from, to] = [rows[at - 1], rows[at]] as [
      { cosine: number; score: number },
      { cosine: number; score: number },
    ];
    if (similarity <= to.cosine) {
      const share = Math.max(0, (similarity - from.cosine) / (to.cosine - from.cosine));
      return from.score + share * (to.score - from.score);
    }
  }
  return 1;
}

/** The cosine at which the score is reached: for searches, which compare cosines. */
export function cosineOf(score: number): number {
  const { rows } = CALIBRATION;
  for (let at = 1; at < rows.length; at += 1) {
    const [from, to] = [rows[at - 1], rows[at]] as [
      { cosine: number; score: number },
      { cosine: number; score: number },
    ];
    if (score <= to.score) {
      const share = Math.max(0, (score - from.score) / (to.score - from.score));
      return from.cosine + share * (to.cosine - from.cosine);
    }
  }
  return 1;
}
