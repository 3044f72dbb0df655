import type { Check } from '../../kernel/check.ts';
import type { Step } from './definition.ts';

/** Whether one picture without signs of an attack is enough for the definition. */
export function isPassiveEnough(
  step: Step,
  { name, status, reason }: Pick<Check, 'name' | 'status' | 'reason'>,
): boolean {
  return (
    name === 'liveness' && status === 'NOT_PERFORMED' && reason === 'no_attack_seen' && step.passiveIsEnough === true
  );
}
