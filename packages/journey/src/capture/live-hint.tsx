import type { Translate } from '../i18n/translate.ts';
import type { HintPace } from './hint-pace.ts';
import { CaptureIcon, type CaptureIconName } from './icons.tsx';

/** Shows what to do now: an icon and a few words over the picture, and the same text for screen readers. */
type LiveHintProps<Hint extends string> = {
  t: Translate;
  pace: HintPace<Hint>;
  /** The prefix of the hint's key in the messages. */
  area: string;
  icons: Readonly<Record<Hint, CaptureIconName>>;
  good: boolean;
  /** True if it stands beside a more important hint. */
  second?: boolean;
};

export function LiveHint<Hint extends string>({ t, pace, area, icons, good, second = false }: LiveHintProps<Hint>) {
  const { shownHint, spokenHint } = pace;
  return (
    <>
      {shownHint && (
        <div class={`hint ${good ? 'good' : ''} ${second ? 'second' : ''}`} aria-hidden="true" data-hint={shownHint}>
          <CaptureIcon name={icons[shownHint]} />
          <span>{t(`${area}.${shownHint}`)}</span>
        </div>
      )}
      <div class="hidden" aria-live="polite">
        {spokenHint ? t(`${area}.${spokenHint}`) : ''}
      </div>
    </>
  );
}
