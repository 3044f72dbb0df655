import type { Check } from '../../../kernel/check.ts';

/** The faults of a photograph that a human can still judge. Pure. */
export const POOR_REASONS: readonly string[] = [
  'blurred',
  'glare',
  'too_dark',
  'cut_off',
  'too_small',
  'fields_missing',
];

/** Reasons that a poor photograph can cause, so that they say nothing about the document. */
const UNREAD_REASONS: readonly string[] = ['mrz_missing', 'mrz_check_digit', 'check_digits', 'implausible_dates'];

const QUALITY = 'documentQuality';

/** The checks for a poor photograph that is used: a human decides about its effects, and all other checks stay. */
export function softenChecks(
  checks: readonly Check[],
  { anyway, reason }: { anyway: string; reason: string },
): readonly Check[] {
  return checks.map((check) => {
    const forHuman = { ...check, status: 'REVIEW', advice: 'final' } as const;
    if (check.name === QUALITY && isPoor(check)) {
      return { ...forHuman, reason: check.reason ?? reason, metaData: { ...check.metaData, anyway } };
    }
    return isUnread(check) ? forHuman : check;
  });
}

/** Whether the check becomes REVIEW, even if it passed: a second analysis does not make a poor photograph good. */
function isPoor({ status, reason }: Check): boolean {
  return status === 'PASSED' || (status === 'FAILED' && reason !== undefined && POOR_REASONS.includes(reason));
}

function isUnread({ status, advice, reason = '' }: Check): boolean {
  return status === 'FAILED' && advice === 'retry' && UNREAD_REASONS.includes(reason);
}
