import type { Journey } from './api.ts';

/** Chooses the screen of a journey on this device. Pure: the server has decided everything else. */
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

/** The state that only this page knows. */
export type Local = {
  /** The end user has read what is needed. */
  hasStarted: boolean;
  /** The end user has asked for a phone. */
  offering: boolean;
};

export function screenOf(journey: Journey, { hasStarted, offering }: Local): Screen {
  const { device, result, step, progress, waitingFor } = journey;
  if (!device.active && device.handoff === 'CONFIRMING') return 'confirm';
  // An end user who came by a hand-off returns to the first device, which continues.
  if (result) return device.active && device.handoff === 'CONNECTED' ? 'returnToFirst' : 'result';
  if (!device.active) return device.handoff === 'CONNECTED' ? 'watching' : 'elsewhere';
  if (!step) return waitingFor === 'resume' ? 'paused' : 'waiting';
  if (offering) return 'handOff';
  // An end user who came from another device has read it there.
  const arrived = device.handoff === 'CONNECTED';
  if (!hasStarted && !arrived && progress.position <= 1 && step.attempt === 1) return 'start';
  return 'step';
}
