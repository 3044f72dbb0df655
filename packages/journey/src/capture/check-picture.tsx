import { useEffect, useState } from 'preact/hooks';
import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Title } from '../ui/title.tsx';
import { CaptureIcon } from './icons.tsx';
import { OtherWays } from './other-ways.tsx';
import type { Sending } from './use-sending.ts';

/** The photograph as it is, before it is sent. */
type CheckProps = {
  t: Translate;
  blob: Blob;
  kind: 'card' | 'face';
  sending: Sending;
  onUse(): void;
  onRetake(): void;
  onUnable?: (() => void) | undefined;
};

export function CheckPicture({ t, blob, kind, sending: { share, error }, onUse, onRetake, onUnable }: CheckProps) {
  const [address, setAddress] = useState('');
  const [zoomed, setZoomed] = useState(false);
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  const busy = share !== undefined;
  return (
    <>
      <Title>{t(`check.title.${kind}`)}</Title>
      <p class="lead">{t(`check.text.${kind}`)}</p>
      <div class={zoomed ? 'shot zoomed' : 'shot'} tabIndex={zoomed ? 0 : undefined}>
        {address && <img src={address} alt={t(`check.picture.${kind}`)} />}
      </div>
      <div class="shot-tools">
        <button type="button" class="button quiet" aria-pressed={zoomed} onClick={() => setZoomed(!zoomed)}>
          <CaptureIcon name="zoom" />
          {t(zoomed ? 'check.whole' : 'check.zoom')}
        </button>
      </div>
      <div aria-live="polite">{busy && <Progress t={t} share={share} />}</div>
      <ErrorNote t={t} error={error} />
      <div class="actions">
        <Button kind="primary" busy={busy} onPress={onUse}>
          {t('check.use')}
        </Button>
        {!busy && <Button onPress={onRetake}>{t('check.retake')}</Button>}
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
