import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Journey } from '../api.ts';
import { isEmbedded, tell } from '../embed.ts';
import type { Translate } from '../i18n/translate.ts';
import { leadsAway } from '../leads-away.ts';
import { recall, remember } from '../remember.ts';
import { Button } from '../ui/button.tsx';
import { Again, Closed, Devices, Late, Passed, Received } from '../ui/illustrations.tsx';
import { Title } from '../ui/title.tsx';
import type { TellMeProps } from './tell-me.tsx';
import { MayTell } from './waiting.tsx';

/** The result, in words that help an honest end user and no fraudster; and the way back. */
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
  const { outcome = 'received', redirectUrl: tenantUrl, homeUrl: home } = journey.result ?? {};
  const redirectUrl = tenantUrl !== undefined && leadsAway(tenantUrl) ? tenantUrl : undefined;
  const homeUrl = home !== undefined && leadsAway(home) ? home : undefined;
  const shownOutcome = declined && outcome === 'notPossible' ? 'declined' : outcome;
  const tenant = journey.tenantName;
  return (
    <>
      {FIGURES[shownOutcome]?.()}
      <Title>{t(`result.${shownOutcome}.title`)}</Title>
      <p class="lead">{t(`result.${shownOutcome}.text`, { tenant })}</p>
      {shownOutcome !== 'passed' && <p class="reference">{t('reference', { id: journey.processInstanceId })}</p>}
      <WayOut t={t} journey={journey} redirectUrl={redirectUrl} homeUrl={homeUrl} />
      {outcome === 'received' && <MayTell t={t} language={language} journey={journey} api={api} />}
    </>
  );
}

type WayOutProps = {
  t: Translate;
  journey: Journey;
  redirectUrl: string | undefined;
  /** The tenant's home page, for a journey without a redirect. */
  homeUrl: string | undefined;
};

/** The page around an embedded journey continues by itself, so there is only a button to close. */
function WayOut({ t, journey, redirectUrl, homeUrl }: WayOutProps) {
  const tenant = journey.tenantName;
  if (isEmbedded) {
    const leave = () => {
      tell({ type: 'closed' });
      // Only a window that a page has opened can be closed; a frame is removed by the page around it.
      window.close();
    };
    return (
      <div class="actions">
        <Button kind="primary" onPress={leave}>
          {t('result.return', { tenant })}
        </Button>
      </div>
    );
  }
  if (redirectUrl) return <Return t={t} journey={journey} url={redirectUrl} />;
  return (
    <>
      <p class="note">{t('result.close')}</p>
      {homeUrl && (
        <div class="actions">
          <a class="button" href={homeUrl} rel="noreferrer">
            {t('trouble.home', { tenant })}
          </a>
        </div>
      )}
    </>
  );
}

const COUNTDOWN_SECONDS = 3;

/** Redirects automatically unless the end user stays. The server compared the address with the tenant's list. */
function Return({ t, journey, url }: { t: Translate; journey: Journey; url: string }) {
  const { processInstanceId, tenantName: tenant } = journey;
  const [seconds, setSeconds] = useState(COUNTDOWN_SECONDS);
  // An end user who comes back from the tenant's page by the back button is not redirected again.
  const [stopped, setStopped] = useState(() => recall(processInstanceId).returned === true);
  const leave = () => remember(processInstanceId, { returned: true });
  useEffect(() => {
    if (stopped) return;
    if (seconds === 0) {
      leave();
      location.replace(url);
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
      <a class="button primary" href={url} onClick={leave}>
        {t('result.return', { tenant })}
      </a>
      {!stopped && <Button onPress={() => setStopped(true)}>{t('result.stay')}</Button>}
    </div>
  );
}

/** Shown on the phone of a hand-off: the first device continues. */
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
