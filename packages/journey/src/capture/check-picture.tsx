import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Title } from '../ui/title.tsx';
import { type More, MoreWays, OtherWays } from './other-ways.tsx';
import type { Sending } from './use-sending.ts';
import { ZoomPicture } from './zoom-picture.tsx';

/** Shows the photograph unchanged before it is used. */
type CheckProps = {
  t: Translate;
  blob: Blob;
  kind: 'card' | 'face';
  sending: Sending;
  /** A remark about the photograph, such as which page of a PDF it is. */
  note?: string | undefined;
  /** The photograph is a file, so the next one will be, too. */
  isFile?: boolean;
  onUse(): void;
  onRetake(): void;
  onUnable?: (() => void) | undefined;
  more?: More;
};

export function CheckPicture(props: CheckProps) {
  const { t, blob, kind, sending, note, isFile = false, onUse, onRetake, onUnable, more = [] } = props;
  const { share, error } = sending;
  const busy = share !== undefined;
  return (
    <>
      <Title>{t(`check.title.${kind}`)}</Title>
      <p class="lead">{t(`check.text.${kind}`)}</p>
      {note && <p class="note">{note}</p>}
      <ZoomPicture t={t} blob={blob} label={t(`check.picture.${kind}`)} />
      <div aria-live="polite">{busy && <Progress t={t} share={share} />}</div>
      <ErrorNote t={t} error={error} />
      <div class="actions">
        <Button kind="primary" busy={busy} onPress={onUse}>
          {t('check.use')}
        </Button>
        {!busy && <Button onPress={onRetake}>{t(isFile ? 'check.choose' : 'check.retake')}</Button>}
        {!busy && <MoreWays more={more} />}
        {!busy && <OtherWays t={t} ways={{ onUnable }} />}
      </div>
    </>
  );
}

export function Progress({ t, share }: { t: Translate; share: number }) {
  const percent = Math.round(share * 100);
  return (
    <div class="sending">
      <progress max={100} value={percent} aria-label={t('upload.sending')} />
      <span>{t('upload.sending')}</span>
    </div>
  );
}
