import type { TProperties, TSchema } from 'typebox';
import type { Step } from '../definition.ts';
import type { ActResult, IdentityActs, Proof, StartData, StoreUser, UserMatch } from './identity-acts.ts';
import { beginningPart, checkOf, notAuthenticated, ofStore, userMissing } from './identity-check.ts';
import { isProven, isUnproven, linkedUser } from './linked-user.ts';
import type { Need, StepType } from './step-type.ts';

export type RegistrationPart = {
  readonly type: string;
  readonly about: string;
  readonly voidsFactor?: true;
  readonly settings: TProperties;
  readonly needs: Need;
  /** The schema of the submitted result. */
  readonly answer: TSchema;
  /** With `anew`, the end user wants a new start. */
  start(identity: IdentityActs, step: Step, about: AboutUser & { anew: boolean }): Promise<ActResult<StartData>>;
  complete(
    identity: IdentityActs,
    step: Step,
    input: AboutUser & { result: Readonly<Record<string, unknown>> },
  ): Promise<ActResult<UserMatch>>;
};

type AboutUser = Proof & { readonly user: StoreUser };

/** A step that registers an authenticator for a user. It refuses an end user who failed to prove to be the user. */
export function registrationStep({ answer, needs, start, complete, ...declared }: RegistrationPart): StepType {
  const { type } = declared;
  return {
    ...declared,
    kind: 'user',
    proves: false,
    references: ofStore,
    user: {
      ...beginningPart(answer),
      needs,
      async begin({ identity, anew, ...journey }) {
        const user = linkedUser(journey);
        if (!user || isUnproven(journey)) return undefined;
        return (await start(identity, journey.step, { user, isProven: isProven(journey), anew })).done;
      },
    },
    async settle({ identity, result, ...journey }) {
      const user = linkedUser(journey);
      if (isUnproven(journey)) return notAuthenticated(type);
      if (!user) return userMissing(type);
      const input = { user, isProven: isProven(journey), result };
      return { checks: [checkOf(type, await complete(identity, journey.step, input))] };
    },
  };
}
