import type { Step } from '../definition.ts';
import { addUser } from './add-user.ts';
import { consent } from './consent.ts';
import { decision, pause, review, subprocess, webhook } from './control.ts';
import { document } from './document.ts';
import { face } from './face.ts';
import { faceAuthentication } from './face-authentication.ts';
import { duplicate, watchlist } from './face-lists.ts';
import { faceMatch } from './face-match.ts';
import { form } from './form.ts';
import { http } from './http.ts';
import { customPage, switchDevice } from './pages.ts';
import { passkeyAuthentication, passkeyRegistration } from './passkeys.ts';
import type { StepType, WantedImage } from './step-type.ts';
import { totpAuthentication, totpRegistration } from './totps.ts';

/** All types of steps. To add one, write its file and list it here. */
export const stepTypes: ReadonlyMap<string, StepType> = new Map(
  [
    consent,
    form,
    document,
    face,
    faceMatch,
    watchlist,
    duplicate,
    customPage,
    passkeyRegistration,
    passkeyAuthentication,
    totpRegistration,
    totpAuthentication,
    faceAuthentication,
    addUser,
    http,
    webhook,
    pause,
    subprocess,
    switchDevice,
    decision,
    review,
  ].map((stepType) => [stepType.type, stepType]),
);

/** The type of a step of a checked definition. */
export function stepTypeOf(type: string): StepType {
  const stepType = stepTypes.get(type);
  if (!stepType) throw new Error(`there is no step type ${type}`);
  return stepType;
}

/** Whether the step has a challenge of active liveness. */
export function asksForChallenge(step: Step): boolean {
  return stepTypeOf(step.type).user?.challenge?.(step) ?? false;
}

/** The images that the end user sends in a step. */
export function wantedImages(step: Step): readonly WantedImage[] {
  return stepTypeOf(step.type).user?.images?.(step) ?? [];
}
