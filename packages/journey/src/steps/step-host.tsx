import { useEffect, useState } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { Again } from '../ui/illustrations.tsx';
import { Title } from '../ui/title.tsx';
import { entryOf } from './registry.ts';
import type { StepProps, StepView } from './step.ts';

/** Loads the view of a step and shows it. A failed load can be retried; an unknown type is reported. */
export function StepHost(props: StepProps) {
  const { step, t, unable } = props;
  const [view, setView] = useState<{ type: string; View: StepView }>();
  const [failed, setFailed] = useState(false);
  const [attempts, setAttempts] = useState(0);
  const entry = entryOf(step.type);

  // A new attempt loads the view again.
  useEffect(() => {
    let current = true;
    setFailed(false);
    entry?.load().then(
      (View) => current && setView({ type: step.type, View }),
      () => current && setFailed(true),
    );
    return () => {
      current = false;
    };
  }, [step.type, entry, attempts]);

  if (view?.type === step.type) return <view.View key={`${step.id} ${step.attempt}`} {...props} />;
  if (entry && !failed) {
    return (
      <p class="live centred" role="status">
        <span class="spinner" aria-hidden="true" />
        <span class="hidden">{t('loading')}</span>
      </p>
    );
  }
  return (
    <>
      <Again />
      <Title>{t(entry ? 'trouble.network.title' : 'trouble.broken.title')}</Title>
      <p class="lead">{t(entry ? 'trouble.network.text' : 'trouble.broken.text')}</p>
      <div class="actions">
        {entry ? (
          <Button kind="primary" onPress={() => setAttempts(attempts + 1)}>
            {t('again')}
          </Button>
        ) : (
          <Button kind="primary" onPress={unable}>
            {t('unable')}
          </Button>
        )}
      </div>
    </>
  );
}
