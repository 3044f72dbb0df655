import { stepTypes } from '../process-manager/engine/steps/registry.ts';
import type { Journey } from './show-journey.ts';

/** Whether the machine will analyse pictures of this journey. The sandbox analyses none. */
export function takesPictures({ environment, stepTypes: types, result }: Journey): boolean {
  return environment === 'live' && result === undefined && types.some(isPictured);
}

/** Whether the current step takes a real picture. */
export function asksForPicture({ environment, step }: Journey): boolean {
  return environment === 'live' && step !== undefined && isPictured(step.type);
}

/** Whether steps of this type have pictures. */
export function isPictured(type: string): boolean {
  return stepTypes.get(type)?.user?.images !== undefined;
}
