import type { ComponentChildren } from 'preact';
import type { Translate } from '../i18n/translate.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import { Title } from '../ui/title.tsx';
import { CaptureIcon } from './icons.tsx';
import { type More, MoreWays, OtherWays, type Ways } from './other-ways.tsx';

/** Says what is about to happen before the browser asks for the camera. */
type PrimerProps = {
  t: Translate;
  figure: ComponentChildren;
  title: string;
  lead?: string | undefined;
  note: ComponentChildren;
  /** True for a second visit: the introduction is shorter, and the button is in sight. */
  again: boolean;
  tips: readonly { icon: IconName; text: string }[];
  ways: Ways;
  more?: More;
  /** The click says whether a pointer was used; without one it was a keyboard or a screen reader. */
  onOpen(click: { detail: number }): void;
};

export function Primer({ t, figure, title, lead, note, again, tips, ways, more = [], onOpen }: PrimerProps) {
  return (
    <>
      {again ? <div class="known">{figure}</div> : figure}
      <Title>{title}</Title>
      {lead && !again && <p class="lead">{lead}</p>}
      {note}
      <ul class="list">
        {tips.map(({ icon, text }) => (
          <li key={text}>
            <Icon name={icon} />
            <span>{text}</span>
          </li>
        ))}
      </ul>
      {!again && <p class="note">{t('camera.primer')}</p>}
      <div class="actions">
        <button type="button" class="button primary" onClick={onOpen}>
          <CaptureIcon name="camera" />
          {t('camera.open')}
        </button>
        <OtherWays t={t} ways={{ ...ways, onUnable: undefined }} />
        <MoreWays more={more} />
        <OtherWays t={t} ways={{ onUnable: ways.onPerson ? undefined : ways.onUnable }} />
      </div>
    </>
  );
}
