import { useEffect, useState } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Devices } from '../ui/illustrations.tsx';
import { Title } from '../ui/title.tsx';
import type { StepProps } from './step.ts';

/** Offers the phone. On the phone itself there is no question left, so the journey moves on. */
export function SwitchDeviceStep({ journey, t, submit, handOff }: StepProps) {
  const arrived = journey.device.handoff === 'CONNECTED';
  const [busy, setBusy] = useState(arrived);
  const [error, setError] = useState<unknown>();
  const goOn = async () => {
    setBusy(true);
    setError(undefined);
    await submit({}).catch(setError);
    setBusy(false);
  };
  // Runs once, when the phone arrives.
  useEffect(() => {
    if (arrived) void goOn();
  }, [arrived]);
  return (
    <>
      <Devices />
      <Title>{t('switch.title')}</Title>
      <p class="lead">{t(arrived ? 'switch.arrived' : 'switch.text')}</p>
      <ErrorNote t={t} error={error} />
      <div class="actions">
        {!arrived && (
          <Button kind="primary" onPress={handOff}>
            {t('switch.phone')}
          </Button>
        )}
        <Button busy={busy} onPress={goOn}>
          {t(arrived ? 'continue' : 'switch.stay')}
        </Button>
      </div>
    </>
  );
}
