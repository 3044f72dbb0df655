import type { Journey, ShellApi } from '../api.ts';
import type { Words } from '../i18n/use-messages.ts';
import type { recall, remember } from '../remember.ts';
import type { Screen } from '../screen.ts';
import type { JourneyState } from '../use-journey.ts';

/** The overlay over a step. */
export type Overlay = 'handOff' | 'unable' | 'change' | undefined;

export type ScreenProps = {
  screen: Screen | 'unable' | 'change';
  journey: Journey;
  state: JourneyState;
  api: ShellApi;
  words: Words;
  memory: ReturnType<typeof recall>;
  note(memory: Parameters<typeof remember>[1]): void;
  overlay(overlay: Overlay): void;
};
