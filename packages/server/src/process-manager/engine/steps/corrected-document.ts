import { APPLICANT_MATCH, judgeApplicant } from '../../../engines/vision/applicant/judge-applicant.ts';
import type { Check } from '../../../kernel/check.ts';
import { documentFacts } from '../document-facts.ts';
import { type ReadField, validFields } from '../read-values.ts';

/**
 * The checks of a document after a reviewer corrected one of its values. Checks that compare values are made again. Checks of
 * the photograph stay, because the photograph is the same. Pure.
 */
export type CorrectedDocument = {
  readonly document: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, string>>;
  readonly checks: readonly Check[];
  readonly comparesApplicant: boolean;
  readonly now: number;
};

const EXPIRY = 'documentExpiry';

export function checksOfCorrected(corrected: CorrectedDocument): readonly Check[] {
  const { document, params, checks, comparesApplicant, now } = corrected;
  const fields = validFields(document.biographicData);
  const applicant = comparesApplicant ? judgeApplicant(params, { ...document, biographicData: fields }) : undefined;
  const valueChecks = [applicant, isCorrected(document, 'Date Of Expiry') ? expiryCheck(document, now) : undefined];
  return valueChecks.reduce<readonly Check[]>((all, check) => (check ? replaceCheck(all, check) : all), checks);
}

function isCorrected({ biographicData }: CorrectedDocument['document'], fieldName: string): boolean {
  const fields = (biographicData ?? []) as readonly ReadField[];
  return fields.some((field) => field.fieldName === fieldName && field.values.correctedValue !== undefined);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** A document is valid until the end of its last day. */
function expiryCheck(document: CorrectedDocument['document'], now: number): Check | undefined {
  const { expires } = documentFacts(document, now);
  if (!(expires instanceof Date)) return undefined;
  const about = { name: EXPIRY, type: 'document' } as const;
  return expires.getTime() + DAY_MS > now
    ? { ...about, status: 'PASSED' }
    : { ...about, status: 'FAILED', reason: 'expired', advice: 'final' };
}

/** Replaces a check and marks it as based on a corrected value. A missing check is added only if it is about the applicant. */
function replaceCheck(checks: readonly Check[], check: Check): readonly Check[] {
  const before = checks.find(({ name }) => name === check.name);
  if (!before && check.name !== APPLICANT_MATCH) return checks;
  const marked = { ...check, metaData: { ...before?.metaData, ...check.metaData, corrected: true } };
  return before ? checks.map((each) => (each === before ? marked : each)) : [...checks, marked];
}
