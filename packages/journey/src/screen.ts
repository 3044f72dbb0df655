import type { Journey } from './api.ts';

/** Which screen a journey is at, as this device sees it. Pure: the server has decided everything else. */
export type Screen =
  | 'confirm'
  | 'start'
  | 'step'
  | 'waiting'
  | 'paused'
  | 'watching'
  | 'elsewhere'
  | 'handOff'
  | 'result'
  | 'returnToFirst';

/** What only this page knows. */
export type Local = {
  /** The end user has read what is needed. */
  hasStarted: boolean;
  /** The end user has asked for a phone. */
  offering: boolean;
};

export function screenOf(journey: Journey, { hasStarted, offering }: Local): Screen {
  const { device, result, step, progress, waitingFor } = journey;
  if (!device.active && device.handoff === 'CONFIRMING') return 'confirm';
  // Who came by a hand-off goes back to the first device, which leads on.
  if (result) return device.active && device.handoff === 'CONNECTED' ? 'returnToFirst' : 'result';
  if (!device.active) return device.handoff === 'CONNECTED' ? 'watching' : 'elsewhere';
  if (!step) return waitingFor === 'resume' ? 'paused' : 'waiting';
  if (offering) return 'handOff';
  // Who comes from another device has read it there.
  const arrived = device.handoff === 'CONNECTED';
  if (!hasStarted && !arrived && progress.position <= 1 && step.attempt === 1) return 'start';
  return 'step';
}
