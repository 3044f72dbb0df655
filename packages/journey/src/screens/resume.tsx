import { useState } from 'preact/hooks';
import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Prepare } from '../ui/illustrations.tsx';
import { Title } from '../ui/title.tsx';

/** Shown if the same public link is opened again in the same browser. */
type ResumeProps = { t: Translate; tenant: string; onContinue(): void; onStartOver(): Promise<void> };

export function ResumeScreen({ t, tenant, onContinue, onStartOver }: ResumeProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const startOver = async () => {
    setBusy(true);
    setError(undefined);
    await onStartOver().catch(setError);
    setBusy(false);
  };
  return (
    <>
      <Prepare />
      <Title>{t('resume.title')}</Title>
      <p class="lead">{t('resume.text', { tenant })}</p>
      <ErrorNote t={t} error={error} />
      <div class="actions">
        <Button kind="primary" onPress={onContinue}>
          {t('resume.go')}
        </Button>
        <Button busy={busy} onPress={startOver}>
          {t('resume.startOver')}
        </Button>
      </div>
    </>
  );
}
