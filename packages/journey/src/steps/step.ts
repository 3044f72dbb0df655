import type { JSX } from 'preact';
import type { Journey, JourneyApi, JourneyStep } from '../api.ts';
import type { Translate } from '../i18n/translate.ts';

/** What a view of a step is handed. It shows the step, gathers what the end user does, and hands it over. */
export type StepProps = {
  journey: Journey;
  step: JourneyStep;
  api: JourneyApi;
  t: Translate;
  language: string;
  /** Resolves when the journey has gone on; rejects with a `Problem` if the server does not take it. */
  submit(result: object): Promise<void>;
  /** What was sent last shall be used although it is poor, where `step.mayUseAnyway` says that it may. */
  useAnyway(): Promise<void>;
  /** The end user cannot do this step: asked once more, then a human looks at it. */
  unable(): void;
  /** Offers to go on with another device. */
  handOff(): void;
};

export type StepView = (props: StepProps) => JSX.Element;
