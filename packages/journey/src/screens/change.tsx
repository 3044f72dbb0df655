import { useState } from 'preact/hooks';
import type { Journey } from '../api.ts';
import { OwnText } from '../i18n/own-text.tsx';
import type { Words } from '../i18n/use-messages.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';
import { Title } from '../ui/title.tsx';

/** Asks which earlier step to repeat. Nothing is lost before one is chosen. */
type ChangeProps = { words: Words; journey: Journey; onRepeat(stepId: string): Promise<void>; onBack(): void };

const ICONS: Readonly<Record<string, IconName>> = { consent: 'shield', document: 'document' };

export function ChangeScreen({ words: { t, language }, journey, onRepeat, onBack }: ChangeProps) {
  const [busy, setBusy] = useState<string>();
  const [error, setError] = useState<unknown>();
  const repeat = async (stepId: string) => {
    setBusy(stepId);
    setError(undefined);
    await onRepeat(stepId).catch(setError);
    setBusy(undefined);
  };
  return (
    <>
      <Title>{t('change.title')}</Title>
      <p class="lead">{t('change.text')}</p>
      <ErrorNote t={t} error={error} />
      <div class="actions">
        {journey.correctable.map(({ stepId, type, title }) => (
          <Button key={stepId} busy={busy === stepId} onPress={() => repeat(stepId)}>
            <Icon name={ICONS[type] ?? 'form'} />
            {title === undefined ? t(`change.${type}`) : <OwnText text={title} language={language} />}
          </Button>
        ))}
        <Button kind="primary" onPress={onBack}>
          {t('change.stay')}
        </Button>
      </div>
    </>
  );
}
