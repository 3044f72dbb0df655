import type { Check, CheckType } from '../../../kernel/check.ts';
import type { Findings } from '../state.ts';

/** The findings of a machine that had nothing to analyse. */
export function notPerformed(name: string, type: CheckType, reason: string): Findings {
  const check: Check = { name, type, status: 'NOT_PERFORMED', reason, advice: 'final' };
  return { checks: [check] };
}
