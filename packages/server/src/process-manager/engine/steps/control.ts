import { Duration, MAX_CONDITION_LENGTH, oneOf, stringMap, Type, text } from '@grove/contract';
import type { Step } from '../definition.ts';
import { objectOf } from '../expressions/shapes.ts';
import type { StepType } from './step-type.ts';

/** Steps that the engine itself runs. */

export type Verdict = 'PASS' | 'FAIL' | 'REVIEW';
export type DecisionStep = Step & {
  onAnyFailure: Verdict;
  onUncertain: Verdict;
  rules?: { when: string; outcome: Verdict }[];
};
export type SubprocessStep = Step & { definition: string; version?: number; parameters?: Record<string, string> };
export type PauseStep = Step & { resumeAfter?: string };

const verdict = (fallback: Verdict, description: string) =>
  Type.Unsafe<Verdict>({ ...oneOf('PASS', 'FAIL', 'REVIEW'), default: fallback, description });

const MAX_RULES = 20;

export const decision: StepType = {
  type: 'decision',
  about: 'Decides and ends the journey: accepted, declined, or left to a human.',
  kind: 'control',
  act: 'decide',
  settings: {
    rules: Type.Optional(
      Type.Array(
        Type.Object(
          { when: text(1, MAX_CONDITION_LENGTH), outcome: oneOf('PASS', 'FAIL', 'REVIEW') },
          { additionalProperties: false },
        ),
        { maxItems: MAX_RULES, description: 'The first rule that holds decides; if none does, the checks decide' },
      ),
    ),
    onAnyFailure: verdict('FAIL', 'If a step failed'),
    onUncertain: verdict('REVIEW', 'If no step failed, but one needs a human or could not be performed'),
  },
  conditions: (step) =>
    ((step as DecisionStep).rules ?? []).map(({ when }, at) => ({ pointer: `/rules/${at}/when`, text: when })),
};

export const review: StepType = {
  type: 'review',
  about: 'Waits for a human, who approves (the journey continues) or rejects (it ends).',
  kind: 'control',
  act: 'review',
  failureEnds: true,
  settings: { instructions: Type.Optional(text(1, 1000, 'What the reviewer should look at')) },
};

export const pause: StepType = {
  type: 'pause',
  about: 'Waits until the relying party resumes the instance, or until a time has passed.',
  kind: 'control',
  act: 'pause',
  byAnswer: true,
  keeps: { in: 'pauses', defaultKey: 'pause1', shape: () => objectOf({}, { open: true }) },
  settings: {
    resumeAfter: Type.Optional(
      Type.String({ ...Duration, description: 'The journey continues by itself after this time' }),
    ),
  },
};

export const subprocess: StepType = {
  type: 'subprocess',
  about: 'Runs another definition as a child instance, and passes if the child is accepted.',
  kind: 'control',
  act: 'child',
  isEvidence: true,
  settings: {
    definition: text(1, 50, 'The name of the definition'),
    version: Type.Optional(Type.Integer({ minimum: 1, description: 'Default: the newest deployed version' })),
    parameters: Type.Optional({ ...stringMap(50, 1000), description: 'Added to the parameters of the child instance' }),
  },
  references(step) {
    const { definition, version } = step as SubprocessStep;
    return [{ kind: 'definition', name: definition, pointer: '/definition', ...(version && { version }) }];
  },
};

export const webhook: StepType = {
  type: 'webhook',
  about: 'Sends a webhook and continues without waiting for the result.',
  kind: 'control',
  act: 'notify',
  settings: { name: text(1, 100, 'The name of the webhook') },
  references: ({ name }) => [{ kind: 'webhook', name: name as string, pointer: '/name' }],
};
