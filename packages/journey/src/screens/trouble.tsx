import { isPassing, type Trouble } from '../explain-problem.ts';
import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { Reference } from '../ui/error-note.tsx';
import { Again, Closed, Late, Lost } from '../ui/illustrations.tsx';
import { Title } from '../ui/title.tsx';

/** What stands in the way of the whole journey, what to do about it, and what to tell whoever helps. */
type TroubleProps = { t: Translate; trouble: Trouble | 'noLink'; error?: unknown; onRetry?(): void };

export function TroubleScreen({ t, trouble, error, onRetry }: TroubleProps) {
  const passing = trouble !== 'noLink' && isPassing(trouble);
  return (
    <>
      {trouble === 'network' ? <Lost /> : trouble === 'link' ? <Late /> : passing ? <Again /> : <Closed />}
      <Title>{t(`trouble.${trouble}.title`)}</Title>
      <p class="lead">{t(`trouble.${trouble}.text`)}</p>
      <p>
        <Reference t={t} error={error} />
      </p>
      {onRetry && passing && (
        <div class="actions">
          <Button kind="primary" onPress={onRetry}>
            {t('again')}
          </Button>
        </div>
      )}
    </>
  );
}
