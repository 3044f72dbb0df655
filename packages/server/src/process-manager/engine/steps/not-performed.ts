import type { Check, CheckType } from '../../../kernel/check.ts';
import type { Findings } from '../state.ts';

/** The finding of a machine that had nothing to look at: it says so, and nothing else. */
export function notPerformed(name: string, type: CheckType, reason: string): Findings {
  const check: Check = { name, type, status: 'NOT_PERFORMED', reason, advice: 'final' };
  return { checks: [check] };
}
