import type { Check } from '../../kernel/check.ts';
import type { Step } from './definition.ts';

/** One picture in which no attack was seen, where the definition says that this is enough. */
export function isPassiveEnough(
  step: Step,
  { name, status, reason }: Pick<Check, 'name' | 'status' | 'reason'>,
): boolean {
  return (
    name === 'liveness' && status === 'NOT_PERFORMED' && reason === 'no_attack_seen' && step.passiveIsEnough === true
  );
}
