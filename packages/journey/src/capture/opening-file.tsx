import type { Translate } from '../i18n/translate.ts';
import { Problem } from '../problem.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { Title } from '../ui/title.tsx';
import { Progress } from './check-picture.tsx';
import { PageFigure } from './figures.tsx';
import type { Sending } from './use-sending.ts';

/** Shown while the server makes a picture of a PDF, because a browser cannot. */
type OpeningFileProps = { t: Translate; sending: Sending; onAgain(): void; onBack(): void };

/** The code for a PDF of which the server could make no picture. */
const UNUSABLE = 100059;

export function OpeningFile({ t, sending: { share, error }, onAgain, onBack }: OpeningFileProps) {
  const unusable = error instanceof Problem && error.code === UNUSABLE;
  return (
    <>
      <PageFigure />
      <Title>{t(unusable ? 'file.pdf.unusable' : 'file.pdf.opening')}</Title>
      <div aria-live="polite">{share !== undefined && <Progress t={t} share={share} />}</div>
      {unusable ? (
        <div role="alert" class="panel tinted fault">
          <Icon name="warning" />
          <p>{t('file.pdf.unusable.text')}</p>
        </div>
      ) : (
        <ErrorNote t={t} error={error} />
      )}
      <div class="actions">
        {error !== undefined && !unusable && (
          <Button kind="primary" onPress={onAgain}>
            {t('camera.again')}
          </Button>
        )}
        {error !== undefined && <Button onPress={onBack}>{t('file.back')}</Button>}
      </div>
    </>
  );
}
