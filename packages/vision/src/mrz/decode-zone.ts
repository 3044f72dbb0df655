import type { Quad } from '../images/geometry.ts';
import { TEXT_DETECTOR, TEXT_READER } from '../ocr/models.ts';
import { decodeLine } from './decode-line.ts';
import { type MrzReading, NONE, WIDTH } from './fold.ts';
import { FORMATS, type Format, kindsOf } from './formats.ts';
import type { MrzFinding } from './mrz-finding.ts';
import { type ParsedMrz, parseMrz } from './parse-mrz.ts';
import { repairLines } from './repair.ts';
import { STATES } from './states.ts';

/** A format that differs by this many characters cannot be due to a misreading. */
const CLEAR_MISFIT = 5;
/** A reading this certain is not repeated: a wrong check digit is then wrong in print. */
const SURE = 0.85;
/** Below this, even correct check digits are no reason to stop searching. */
const UNSURE = 0.6;

/** As much as one of the three check digits of a visa. */
const IMPOSSIBLE_DATE = 1;

/** Below this, the lines are no zone. */
export const MIN_MERIT = 0.5;
/** Passports have lines of 44 (ICAO 9303 part 4). With fillers lost, all check digits of one hold for lines of 36, too. */
const CUT_PASSPORT = 0.5;

export type Attempt = {
  readonly finding: MrzFinding;
  readonly merit: number;
  readonly readings: readonly MrzReading[];
  /** How well each line fits the reading. */
  readonly scores: readonly number[];
};
/** Two check digits do not agree by chance with lines that are no zone. */
export function isPlausible(best: Attempt | undefined): boolean {
  return best !== undefined && best.finding.checks.filter((check) => check.passed).length >= 2;
}

export function isSettled(best: Attempt | undefined): boolean {
  if (!best) return false;
  const { valid, checks, confidence } = best.finding;
  if (isCutPassport(best.finding)) return false;
  const passed = checks.filter((check) => check.passed).length;
  return (valid && confidence > UNSURE) || (passed >= 2 && confidence > SURE);
}

/** The formats whose length fits best come first; once one fits in full, those that are clearly longer or shorter do not. */
export function decodeBest(readings: readonly MrzReading[], quads: readonly Quad[]): Attempt | undefined {
  const count = Math.max(...readings.map(countCharacters));
  const misfit = ({ length }: Format): number => Math.abs(length - count);
  let best: Attempt | undefined;
  for (const format of Object.values(FORMATS).sort((one, other) => misfit(one) - misfit(other))) {
    if (best?.finding.valid && misfit(format) - misfit(FORMATS[best.finding.format]) >= CLEAR_MISFIT) break;
    if (best?.finding.valid && isVisa(best.finding.format) !== isVisa(format.name)) continue;
    for (let from = 0; from + format.lines <= readings.length; from += 1) {
      const to = from + format.lines;
      const attempt = decodeAs(format, readings.slice(from, to), quads.slice(from, to));
      if (attempt && attempt.merit > (best?.merit ?? Number.NEGATIVE_INFINITY)) best = attempt;
    }
  }
  return best;
}

/** Only visas begin with V, so a fully read zone of one kind is not tried as the other. */
function isVisa(format: Format['name']): boolean {
  return format === 'MRVA' || format === 'MRVB';
}

/** Rarely, a passport has lines of 36, so the other reading must only be about as good. */
function isCutPassport({ format, fields }: Pick<ParsedMrz, 'format' | 'fields'>): boolean {
  return format === 'TD2' && fields.documentCode.startsWith('P');
}

/** It still counts as a zone, so that its lines are read again, longer. */
function lessMerit(merit: number): number {
  return Math.min(merit, Math.max(merit - CUT_PASSPORT, MIN_MERIT + 0.01));
}

/** The number of characters in a reading of unknown length. */
export function countCharacters({ steps, logs }: MrzReading): number {
  let count = 0;
  let last = NONE;
  for (let step = 0; step < steps; step += 1) {
    let best = NONE;
    for (let k = 0; k < WIDTH; k += 1) {
      if ((logs[step * WIDTH + k] as number) > (logs[step * WIDTH + best] as number)) best = k;
    }
    if (best !== NONE && best !== last) count += 1;
    last = best;
  }
  return count;
}

function decodeAs(format: Format, readings: readonly MrzReading[], quads: readonly Quad[]): Attempt | undefined {
  const counts = readings.map(countCharacters);
  if (Math.max(...counts) > format.length + 8 || Math.max(...counts) < format.length * 0.6) return undefined;
  const decoded = readings.map((reading, line) => decodeLine(reading, kindsOf(format, line)));
  const { lines, repairs } = repairLines(format, decoded);
  const parsed = parseMrz(lines);
  if (parsed?.format !== format.name) return undefined;
  const score = decoded.reduce((sum, line) => sum + line.score, 0) / decoded.length;
  const finding: MrzFinding = {
    ...parsed,
    repairs,
    confidence: Math.exp(score * 4),
    quads,
    models: [TEXT_DETECTOR, TEXT_READER],
  };
  // Visas of either size pass the same checks; only the number of characters tells them apart.
  const missed = Math.abs(Math.max(...counts) - format.length);
  const merit = meritOf(parsed, score, repairs.length) - missed * 0.15;
  return {
    finding,
    merit: isCutPassport(parsed) ? lessMerit(merit) : merit,
    readings,
    scores: decoded.map((line) => line.score),
  };
}

/**
 * Check digits count most, then possible dates, then known states, then how well the characters fit the reading. A
 * check digit agrees by chance with one of ten shifted dates, but a shifted date is hardly ever possible.
 */
function meritOf({ checks, fields, lines }: ParsedMrz, score: number, repairs: number): number {
  const passed = checks.filter(({ passed }) => passed).length / checks.length;
  const states = [fields.issuer, fields.nationality].filter((state) => STATES.has(state.padEnd(3, '<'))).length;
  const start = /^[ACIPV]/.test(lines[0] as string) ? 0.5 : 0;
  const dates = [fields.birthDate, fields.expiryDate].filter(isNoDate).length;
  return passed * 3 + states * 0.5 + start + score * 8 - repairs * 0.1 - dates * IMPOSSIBLE_DATE;
}

/** Unknown parts of a date are fillers or 00, with some issuers the whole date. */
export function isNoDate(date: string): boolean {
  if (!/^[0-9]{6}$/.test(date) || date.endsWith('0000')) return false;
  const [month, day] = [Number(date.slice(2, 4)), Number(date.slice(4))];
  return month === 0 || month > 12 || day > 31;
}
