import { useEffect, useState } from 'preact/hooks';
import type { JourneyApi } from '../../api.ts';
import type { Translate } from '../../i18n/translate.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Title } from '../../ui/title.tsx';
import { MoreWays } from '../other-ways.tsx';
import { useSending } from '../use-sending.ts';
import { ZoomPicture } from '../zoom-picture.tsx';
import type { Side } from './plan-sides.ts';

/** Offers to use the photographs that were taken before a reload, or before the end user returned to this step. */
type KeepPhotosProps = {
  t: Translate;
  api: JourneyApi;
  sides: readonly Side[];
  onUse(): Promise<void>;
  onAnew(): void;
  onOther: (() => void) | undefined;
};

export function KeepPhotos({ t, api, sides, onUse, onAnew, onOther }: KeepPhotosProps) {
  const sending = useSending();
  const [front, setFront] = useState<Blob>();
  const [side = 'front'] = sides;
  useEffect(() => {
    let current = true;
    // If the image cannot be shown, the text is still there: samples of the sandbox are no pictures.
    api.seeImage(side).then(
      (picture) => current && setFront(picture),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [api, side]);
  const busy = sending.share !== undefined;
  return (
    <>
      <Title>{t('keep.title')}</Title>
      <p class="lead">{t('keep.text')}</p>
      {front && <ZoomPicture t={t} blob={front} label={t('check.picture.card')} />}
      <ErrorNote t={t} error={sending.error} />
      <div class="actions">
        <Button kind="primary" busy={busy} onPress={() => void sending.attempt(onUse)}>
          {t('keep.use')}
        </Button>
        <Button onPress={onAnew}>{t('keep.anew')}</Button>
        <MoreWays more={[{ label: t('document.other'), onPress: onOther }]} />
      </div>
    </>
  );
}
