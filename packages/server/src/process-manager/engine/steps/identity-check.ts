import { Type, text } from '@grove/contract';
import type { TProperties, TSchema } from 'typebox';
import type { Check, CheckType } from '../../../kernel/check.ts';
import type { Findings } from '../state.ts';
import type { ActResult, UserMatch } from './identity-acts.ts';
import { notPerformed } from './not-performed.ts';
import type { Reference, StepType, UserPart } from './step-type.ts';

/** The common setting of the steps of an identity store. */
export const storeSetting = text(1, 100, 'The name of the identity store');

export const attemptsSetting = { maxAttempts: Type.Integer({ minimum: 1, maximum: 10, default: 3 }) };

export const ofStore: NonNullable<StepType['references']> = (step): Reference[] => [
  { kind: 'store', name: step.store as string, pointer: '/store' },
];

export const withStore = <P extends TProperties>(settings: P) => ({ store: storeSetting, ...settings });

/** The user part of a step that the server begins before the page shows it, and settles with the submitted result. */
export function beginningPart(answer: TSchema): UserPart {
  return { seconds: 30, result: () => answer, show: () => ({ begins: true }), take: () => ({ outcome: 'WORK' }) };
}

/** The check of an action. Its reason is the code of the store, which the catalogue explains. */
export function checkOf(name: string, actResult: ActResult<unknown>, type: CheckType = 'identity'): Check {
  if (!actResult.refusal) return { name, type, status: 'PASSED' };
  const { code, status, advice } = actResult.refusal;
  return { name, type, status, reason: `code_${code}`, advice, metaData: { code } };
}

export function recognisedCheck(name: string, actResult: ActResult<UserMatch>, type?: CheckType): Check {
  const score = actResult.refusal ? undefined : actResult.done.score;
  return { ...checkOf(name, actResult, type), ...(score !== undefined && { score }) };
}

/** Neither an earlier step nor a parameter names a user. */
export const userMissing = (name: string): Findings => notPerformed(name, 'identity', 'user_missing');
export const notAuthenticated = (name: string): Findings => notPerformed(name, 'identity', 'not_authenticated');
