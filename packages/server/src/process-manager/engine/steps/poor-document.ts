import type { Check } from '../../../kernel/check.ts';

/** What may be wrong with a photograph that a human can still make something of. Pure. */
export const POOR_REASONS: readonly string[] = [
  'blurred',
  'glare',
  'too_dark',
  'cut_off',
  'too_small',
  'fields_missing',
];

/** What a machine cannot read because the photograph is poor says nothing about the document. */
const UNREAD_REASONS: readonly string[] = ['mrz_missing', 'mrz_check_digit', 'check_digits', 'implausible_dates'];

const QUALITY = 'documentQuality';

/** The photograph is used although it is poor: what that leaves open is for a human, and all else stays as found. */
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

/** A passed check becomes REVIEW as well: a poor photograph does not become good by a second analysis. */
function isPoor({ status, reason }: Check): boolean {
  return status === 'PASSED' || (status === 'FAILED' && reason !== undefined && POOR_REASONS.includes(reason));
}

function isUnread({ status, advice, reason = '' }: Check): boolean {
  return status === 'FAILED' && advice === 'retry' && UNREAD_REASONS.includes(reason);
}
