import type { Area } from '../i18n/load-messages.ts';
import type { StepView } from './step.ts';

/** The view of each type of step. To add one, write its file and name it here. */
type Entry = {
  areas: readonly Area[];
  load(): Promise<StepView>;
  /** Loads large files for an end user who is at the previous step. */
  fetchAhead?(): Promise<void>;
};

const STEPS: readonly Area[] = ['steps'];
const CAPTURE: readonly Area[] = ['steps', 'capture'];
const FACE: Entry = {
  areas: CAPTURE,
  load: async () => (await import('./face.tsx')).FaceStep,
  fetchAhead: async () => (await import('../capture/face/fetch-ahead.ts')).fetchAhead(),
};

const entries = new Map<string, Entry>(
  Object.entries<Entry>({
    consent: { areas: STEPS, load: async () => (await import('./consent.tsx')).ConsentStep },
    form: { areas: STEPS, load: async () => (await import('./form.tsx')).FormStep },
    document: { areas: CAPTURE, load: async () => (await import('./document.tsx')).DocumentStep },
    face: FACE,
    faceAuthentication: FACE,
    switchDevice: { areas: STEPS, load: async () => (await import('./switch-device.tsx')).SwitchDeviceStep },
    customPage: { areas: STEPS, load: async () => (await import('./custom-page.tsx')).CustomPageStep },
    passkeyRegistration: { areas: STEPS, load: async () => (await import('./passkey.tsx')).PasskeyStep },
    passkeyAuthentication: { areas: STEPS, load: async () => (await import('./passkey.tsx')).PasskeyStep },
    totpRegistration: { areas: STEPS, load: async () => (await import('./totp.tsx')).TotpStep },
    totpAuthentication: { areas: STEPS, load: async () => (await import('./totp.tsx')).TotpStep },
  }),
);

export function entryOf(type: string): Entry | undefined {
  return entries.get(type);
}
