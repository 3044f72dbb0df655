import { useState } from 'preact/hooks';
import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Received } from '../ui/illustrations.tsx';
import { Title } from '../ui/title.tsx';

/** Asks an end user who cannot do a step to confirm that a person shall check the case. Nothing is lost by it. */
type UnableProps = { t: Translate; tenant: string; onConfirm(): Promise<void>; onBack(): void };

export function UnableScreen({ t, tenant, onConfirm, onBack }: UnableProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
    } catch (thrown) {
      setError(thrown);
    }
    setBusy(false);
  };
  return (
    <>
      <Received />
      <Title>{t('unable.title')}</Title>
      <p class="lead">{t('unable.text', { tenant })}</p>
      <ErrorNote t={t} error={error} />
      <div class="actions">
        <Button kind="primary" busy={busy} onPress={confirm}>
          {t('unable.confirm')}
        </Button>
        <Button onPress={onBack}>{t('back')}</Button>
      </div>
    </>
  );
}
