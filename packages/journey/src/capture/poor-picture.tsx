import { useEffect, useState } from 'preact/hooks';
import type { StepProps } from '../steps/step.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Title } from '../ui/title.tsx';
import { faultTextOf } from './fault-text.ts';
import { OtherWays, type Ways } from './other-ways.tsx';
import { useSending } from './use-sending.ts';
import { ZoomPicture } from './zoom-picture.tsx';

/** Shows a poor photograph and its fault, and offers to take another one or to have a person check this one. */
type PoorPictureProps = Pick<StepProps, 't' | 'step' | 'api' | 'useAnyway'> & {
  picture: string;
  ways: Ways;
  onRetake(click: { detail: number }): void;
};

export function PoorPicture({ t, step, api, useAnyway, picture, ways, onRetake }: PoorPictureProps) {
  const sending = useSending();
  const [blob, setBlob] = useState<Blob>();
  useEffect(() => {
    let current = true;
    // If the image cannot be shown, the text is still there: samples of the sandbox are no pictures.
    api.seeImage(picture).then(
      (picture) => current && setBlob(picture),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [api, picture]);
  const key = faultTextOf(step.fault?.reason ?? '', 'card');
  const busy = sending.share !== undefined;
  return (
    <>
      <Title>{t(`fault.${key}`)}</Title>
      <p class="lead">
        {t(`fault.${key}.remedy`)} {t('fault.left', { left: step.triesLeft })}
      </p>
      {blob && <ZoomPicture t={t} blob={blob} label={t('check.picture.card')} />}
      <ErrorNote t={t} error={sending.error} />
      <div class="actions">
        <button type="button" class="button primary" onClick={onRetake}>
          {t('poor.retake')}
        </button>
        <Button busy={busy} onPress={() => void sending.attempt(useAnyway)}>
          {t('poor.use')}
        </Button>
        <p class="note centred">{t('poor.note')}</p>
        {!busy && <OtherWays t={t} ways={ways} />}
      </div>
    </>
  );
}
