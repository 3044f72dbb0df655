import { api, Type, text } from '@grove/contract';
import type { Step } from '../definition.ts';
import { objectOf, TEXT } from '../expressions/shapes.ts';
import { attemptsSetting, beginningPart, ofStore, recognisedCheck, userMissing, withStore } from './identity-check.ts';
import { linkedUser } from './linked-user.ts';
import { registrationStep } from './registration-step.ts';
import type { StepType } from './step-type.ts';

type PasskeyStep = Step & { key: string; store: string; rpId: string; policy: string; anyUser?: boolean };

const settings = withStore({
  rpId: text(1, 255, 'The relying party; the pages of the journey must be at this domain or below it'),
  policy: Type.String({ ...text(1, 100, 'The name of its policy'), default: 'default' }),
  ...attemptsSetting,
});

const { credential, error } = api.passkeys.authenticate.body.properties;
/** Both members are optional, because the store refuses a result without either with its own code. */
const answer = Type.Object({ credential, error }, { additionalProperties: false });

const askedOf = (step: Step) => {
  const { store, rpId, policy } = step as PasskeyStep;
  return { store, rpId, policy };
};

export const passkeyRegistration = registrationStep({
  type: 'passkeyRegistration',
  voidsFactor: true,
  about: 'Registers a passkey for the user.',
  needs: 'passkey',
  settings,
  answer,
  start: (identity, step, { anew: _anew, ...about }) =>
    identity.startPasskeyRegistration({ ...askedOf(step), ...about }),
  complete: (identity, step, { result, ...about }) =>
    identity.completePasskeyRegistration({ ...askedOf(step), ...about, answer: result }),
});

export const passkeyAuthentication: StepType = {
  type: 'passkeyAuthentication',
  about: 'The end user authenticates with a passkey.',
  kind: 'user',
  keeps: { in: 'forms', defaultKey: 'passkey1', shape: () => objectOf({ userId: TEXT }) },
  proves: true,
  links: 'recognises',
  factor: 'passkey',
  failureEnds: true,
  settings: {
    ...settings,
    anyUser: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'If no parameter names a user, the owner of the passkey is the user',
      }),
    ),
  },
  references: ofStore,
  user: {
    ...beginningPart(answer),
    needs: 'passkey',
    async begin({ identity, ...journey }) {
      const user = linkedUser(journey);
      if (!user && !takesAny(journey.step)) return undefined;
      return (await identity.startPasskeyAuthentication({ ...askedOf(journey.step), user })).done;
    },
  },
  async settle({ identity, result, ...journey }) {
    const { step } = journey;
    const user = linkedUser(journey);
    if (!user && !takesAny(step)) return userMissing('passkeyAuthentication');
    const actResult = await identity.completePasskeyAuthentication({ ...askedOf(step), user, answer: result });
    const checks = [recognisedCheck('passkeyAuthentication', actResult)];
    if (actResult.refusal) return { checks };
    return { checks, data: { forms: { [step.key as string]: { userId: actResult.done.userId } } } };
  },
};

function takesAny(step: Step): boolean {
  return (step as PasskeyStep).anyUser === true;
}
