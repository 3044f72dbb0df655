import { Type, text } from '@grove/contract';
import type { Step } from '../definition.ts';
import { attemptsSetting, beginningPart, ofStore, recognisedCheck, userMissing, withStore } from './identity-check.ts';
import { linkedUser } from './linked-user.ts';
import { registrationStep } from './registration-step.ts';
import type { StepType } from './step-type.ts';

type TotpStep = Step & { store: string; policy: string };

const settings = withStore({ policy: text(1, 100, 'The name of the TOTP policy'), ...attemptsSetting });

/** The code is optional, because a missing one is refused as malformed and does not count as a guess. */
const answer = Type.Object(
  { code: Type.Optional(text(0, 10, 'The code that the authenticator app shows')) },
  { additionalProperties: false },
);

const askedOf = (step: Step) => {
  const { store, policy } = step as TotpStep;
  return { store, policy };
};
const codeOf = ({ code }: Readonly<Record<string, unknown>>) => (typeof code === 'string' ? code : '');

export const totpRegistration = registrationStep({
  type: 'totpRegistration',
  about: 'Registers an authenticator app that shows one-time passwords.',
  needs: 'totp',
  settings,
  answer,
  start: (identity, step, { user, anew }) => identity.startTotpRegistration({ ...askedOf(step), user, anew }),
  complete: (identity, step, { user, result }) =>
    identity.completeTotpRegistration({ ...askedOf(step), user, code: codeOf(result) }),
});

export const totpAuthentication: StepType = {
  type: 'totpAuthentication',
  about: 'The end user authenticates with a one-time password.',
  kind: 'user',
  proves: true,
  failureEnds: true,
  settings,
  references: ofStore,
  user: {
    ...beginningPart(answer),
    needs: 'totp',
    async begin({ identity, anew: _anew, ...journey }) {
      const user = linkedUser(journey);
      return user && (await identity.startTotpAuthentication({ ...askedOf(journey.step), user })).done;
    },
  },
  async settle({ identity, result, ...journey }) {
    const user = linkedUser(journey);
    if (!user) return userMissing('totpAuthentication');
    const input = { ...askedOf(journey.step), user, code: codeOf(result) };
    return { checks: [recognisedCheck('totpAuthentication', await identity.authenticateTotp(input))] };
  },
};
