import { stepTypes } from '../process-manager/engine/steps/registry.ts';
import type { Journey } from './show-journey.ts';

/** Whether a machine will be asked to look at pictures of this journey. The sandbox plays its answers. */
export function takesPictures({ environment, stepTypes: types, result }: Journey): boolean {
  return environment === 'live' && result === undefined && types.some(isPictured);
}

/** Whether what the end user is asked for now is a picture, and a real one. */
export function asksForPicture({ environment, step }: Journey): boolean {
  return environment === 'live' && step !== undefined && isPictured(step.type);
}

/** Whether steps of this type have pictures at all. */
export function isPictured(type: string): boolean {
  return stepTypes.get(type)?.user?.images !== undefined;
}
