import { text } from '@grove/contract';
import type { StepType } from './step-type.ts';

/** Steps that a definition can name and that this release cannot do. Each moves to a file of its own when it can. */

const store = text(1, 100, 'The name of the identity store');
const IDENTITY_STORE = 'it needs the identity store, which this release does not have';

const ofStore = (type: string, about: string, settings: StepType['settings'] = {}): StepType => ({
  type,
  about,
  kind: 'user',
  settings: { store, ...settings },
  references: (step) => [{ kind: 'store', name: step.store as string, pointer: '/store' }],
  unavailable: IDENTITY_STORE,
});

const rpId = text(1, 255, 'The relying party');
const policy = text(1, 100, 'The name of the policy');

export const passkeyRegistration = ofStore('passkeyRegistration', 'Registers a passkey.', { rpId, policy });
export const passkeyAuthentication = ofStore('passkeyAuthentication', 'Authenticates with a passkey.', {
  rpId,
  policy,
});
export const totpRegistration = ofStore('totpRegistration', 'Registers a one-time password generator.', { policy });
export const totpAuthentication = ofStore('totpAuthentication', 'Authenticates with a one-time password.', { policy });
export const faceAuthentication = ofStore('faceAuthentication', 'Authenticates by face.');

export const addUser: StepType = {
  ...ofStore('addUser', 'Adds the end user to an identity store.'),
  kind: 'server',
};
