import type { JSX } from 'preact';
import type { Journey, JourneyApi, JourneyStep } from '../api.ts';
import type { Translate } from '../i18n/translate.ts';

/** The props of the view of a step. It shows the step, gathers the end user's input, and submits it. */
export type StepProps = {
  journey: Journey;
  step: JourneyStep;
  api: JourneyApi;
  t: Translate;
  language: string;
  /** Resolves when the journey has moved on; rejects with a `Problem` if the server refuses. */
  submit(result: object): Promise<void>;
  /** Submits the last picture although it is poor, if `step.mayUseAnyway` allows it. */
  useAnyway(): Promise<void>;
  /** The end user cannot do this step: after a confirmation, a person checks the case. */
  unable(): void;
  /** Offers to continue on another device. */
  handOff(): void;
};

export type StepView = (props: StepProps) => JSX.Element;
