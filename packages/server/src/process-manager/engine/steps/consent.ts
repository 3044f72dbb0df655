import { oneOf, Type, text } from '@grove/contract';
import { objectOf, TEXT, TRUTH } from '../expressions/shapes.ts';
import { localText } from './local-text.ts';
import type { StepType } from './step-type.ts';

/** Declining ends the journey: without consent nothing is analysed. */
export const consent: StepType = {
  type: 'consent',
  repeatable: true,
  about: 'The end user reads how the data is used, and agrees or declines.',
  kind: 'user',
  keeps: {
    in: 'forms',
    defaultKey: 'consent',
    shape: () => objectOf({ accepted: TRUTH, textVersion: TEXT, language: TEXT, page: TEXT }),
  },
  failureEnds: true,
  settings: {
    textVersion: Type.String({ minLength: 1, maxLength: 50, default: '1', description: 'Stored with the answer' }),
    purpose: Type.Optional(localText(500, 'What the data is used for, in one sentence')),
    declineText: Type.Optional(localText(500, 'What happens if the end user declines; replaces the default text')),
    privacyUrl: Type.Optional(Type.String({ maxLength: 500, pattern: '^https://', description: 'The privacy notice' })),
  },
  texts: ({ purpose, declineText }) => [
    { pointer: '/purpose', text: purpose },
    { pointer: '/declineText', text: declineText },
  ],
  byAnswer: true,
  user: {
    seconds: 20,
    correctable: true,
    result: ({ textVersion }) =>
      Type.Object(
        {
          accepted: Type.Boolean(),
          // Consent to another version of the text does not count.
          textVersion: Type.Optional(oneOf(textVersion as string)),
          language: Type.Optional(Type.String({ pattern: '^[a-z]{2,3}$', maxLength: 3 })),
          page: Type.Optional(text(1, 50, 'The version of the words around it')),
        },
        { additionalProperties: false },
      ),
    show: ({ textVersion, purpose, declineText, privacyUrl }) => ({ textVersion, purpose, declineText, privacyUrl }),
    take(step, { result }) {
      const { accepted, language, page } = result;
      const presentation = { ...(language !== undefined && { language }), ...(page !== undefined && { page }) };
      const data = { forms: { [step.key as string]: { accepted, textVersion: step.textVersion, ...presentation } } };
      return result.accepted === true
        ? { outcome: 'PASSED', data }
        : { outcome: 'FAILED', reason: 'consent_declined', data };
    },
  },
};
