import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Journey } from '../api.ts';
import type { Translate } from '../i18n/translate.ts';
import { leadsAway } from '../leads-away.ts';
import { Button } from '../ui/button.tsx';
import { Again, Closed, Devices, Late, Passed, Received } from '../ui/illustrations.tsx';
import { Title } from '../ui/title.tsx';
import type { TellMeProps } from './tell-me.tsx';
import { MayTell } from './waiting.tsx';

/** How it went, in words that help an honest end user and nobody else; and the way back. */
type ResultProps = TellMeProps & { declined: boolean };

const FIGURES: Readonly<Record<string, () => ComponentChildren>> = {
  passed: () => <Passed />,
  received: () => <Received />,
  tryAgain: () => <Again />,
  notPossible: () => <Closed />,
  declined: () => <Closed />,
  expired: () => <Late />,
};

export function ResultScreen({ t, language, journey, api, declined }: ResultProps) {
  const { outcome = 'received', redirectUrl: given } = journey.result ?? {};
  const redirectUrl = given !== undefined && leadsAway(given) ? given : undefined;
  const shown = declined && outcome === 'notPossible' ? 'declined' : outcome;
  const tenant = journey.tenantName;
  return (
    <>
      {FIGURES[shown]?.()}
      <Title>{t(`result.${shown}.title`)}</Title>
      <p class="lead">{t(`result.${shown}.text`, { tenant })}</p>
      {shown !== 'passed' && <p class="reference">{t('reference', { id: journey.processInstanceId })}</p>}
      {redirectUrl ? <Return t={t} tenant={tenant} url={redirectUrl} /> : <p class="note">{t('result.close')}</p>}
      {outcome === 'received' && <MayTell {...{ t, language, journey, api }} />}
    </>
  );
}

const COUNTDOWN_SECONDS = 3;

/** Leads back by itself, unless the end user wants to stay. The address was compared with the tenant's list. */
function Return({ t, tenant, url }: { t: Translate; tenant: string; url: string }) {
  const [seconds, setSeconds] = useState(COUNTDOWN_SECONDS);
  const [stopped, setStopped] = useState(false);
  useEffect(() => {
    if (stopped) return;
    if (seconds === 0) {
      location.assign(url);
      setStopped(true);
      return;
    }
    const timer = setTimeout(() => setSeconds(seconds - 1), 1000);
    return () => clearTimeout(timer);
  }, [seconds, stopped, url]);
  return (
    <div class="actions">
      {!stopped && (
        <p class="note centred" role="timer" aria-live="off">
          {t('result.countdown', { tenant, seconds })}
        </p>
      )}
      <a class="button primary" href={url}>
        {t('result.return', { tenant })}
      </a>
      {!stopped && <Button onPress={() => setStopped(true)}>{t('result.stay')}</Button>}
    </div>
  );
}

/** The phone of a hand-off: the first device leads on. */
export function ReturnToFirstScreen({ t, journey }: { t: Translate; journey: Journey }) {
  return (
    <>
      <Devices />
      <Title>{t('returnToFirst.title')}</Title>
      <p class="lead">{t('returnToFirst.text')}</p>
      <p class="reference">{t('reference', { id: journey.processInstanceId })}</p>
    </>
  );
}
