import { useEffect, useState } from 'preact/hooks';
import type { Journey } from '../api.ts';
import type { Translate } from '../i18n/translate.ts';
import { Looking } from '../ui/illustrations.tsx';
import { Title } from '../ui/title.tsx';
import type { TellMeProps } from './tell-me.tsx';
import { useLater } from './use-later.ts';

/** Says during the checks what happens, how long it takes, and that nobody has to stay. */
const LONG_MS = 20_000;
/** After this time the page says that it takes longer. */
const TOO_LONG_MS = 60_000;

export function WaitingScreen({ t, language, journey, api }: TellMeProps) {
  const passed = usePassed([LONG_MS, TOO_LONG_MS]);
  return (
    <>
      <Looking moving={passed < TOO_LONG_MS} />
      <Title>{t('waiting.title')}</Title>
      <div role="status">
        <p class="lead">{t(passed >= LONG_MS ? 'waiting.long' : 'waiting.lead')}</p>
        {passed >= LONG_MS && <p>{t('waiting.close', { tenant: journey.tenantName })}</p>}
      </div>
      {passed < TOO_LONG_MS && (
        <p class="live">
          <span class="dot" aria-hidden="true" />
          {t('waiting.live')}
        </p>
      )}
      {passed >= LONG_MS && <MayTell t={t} language={language} journey={journey} api={api} />}
    </>
  );
}

/** Shown only if the installation sends e-mails. */
export function MayTell(props: TellMeProps) {
  const isWanted = props.journey.messages?.channels.includes('EMAIL') ?? false;
  const later = useLater(isWanted, () => import('./tell-me.tsx'));
  return isWanted && later ? <later.TellMe {...props} /> : null;
}

export function PausedScreen({ t, journey }: { t: Translate; journey: Journey }) {
  return (
    <>
      <Looking moving={false} />
      <Title>{t('paused.title')}</Title>
      <p class="lead">{t('paused.text', { tenant: journey.tenantName })}</p>
    </>
  );
}

/** The last of these times that has passed. */
function usePassed(times: readonly number[]): number {
  const [passed, setPassed] = useState(0);
  // The times are constant while the screen is shown.
  useEffect(() => {
    const timers = times.map((ms) => setTimeout(() => setPassed(ms), ms));
    return () => timers.forEach(clearTimeout);
  }, []);
  return passed;
}
