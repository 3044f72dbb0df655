import InAppSpy from 'inapp-spy';
import { useState } from 'preact/hooks';
import type { Offer } from '../api.ts';
import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Landing } from '../ui/landing.tsx';
import { Title } from '../ui/title.tsx';
import { browserOf, chromeIntent } from './camera/browser.ts';
import { NoCameraFigure } from './figures.tsx';
import { OtherWays, type Ways } from './other-ways.tsx';

/** The name of the app whose built-in browser this is; `undefined` in a browser of its own. */
export function appAround(userAgent: string): string | undefined {
  const { isInApp, appName } = InAppSpy({ ua: userAgent });
  return isInApp ? (appName ?? '') : undefined;
}

/**
 * Built-in browsers of apps mostly have no camera. The journey continues in the phone's own browser as on another
 * device: by a link that works once, and a number that both browsers show.
 */
type InAppProps = { t: Translate; app: string; offer(): Promise<Offer>; ways: Ways; onStay(): void };

export function InApp({ t, app, offer, ways, onStay }: InAppProps) {
  const [newOffer, setNewOffer] = useState<Offer>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const android = browserOf(navigator.userAgent, navigator.maxTouchPoints).system === 'android';
  const make = async () => {
    setBusy(true);
    setError(undefined);
    try {
      setNewOffer(await offer());
    } catch (thrown) {
      setError(thrown);
    }
    setBusy(false);
  };
  return (
    <div data-camera-fault="inApp" class="stack">
      <NoCameraFigure />
      <Title>{t('inApp.title', { browser: android ? 'Chrome' : 'Safari' })}</Title>
      <p class="lead">{app ? t('inApp.text', { app }) : t('inApp.text.unknown')}</p>
      {newOffer && (
        <Landing>
          <Way t={t} offer={newOffer} android={android} />
        </Landing>
      )}
      <ErrorNote t={t} error={error} />
      <div class="actions">
        {!newOffer && (
          <Button kind="primary" busy={busy} onPress={() => void make()}>
            {t('inApp.go')}
          </Button>
        )}
        <Button onPress={onStay}>{t('inApp.stay')}</Button>
        <OtherWays t={t} ways={{ ...ways, onPhone: undefined }} />
      </div>
    </div>
  );
}

function Way({ t, offer, android }: { t: Translate; offer: Offer; android: boolean }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(offer.url);
      setCopied(true);
    } catch {
      // The link is shown as well, to be copied by hand.
      setCopied(false);
    }
  };
  return (
    <div class="panel tinted">
      <p>{t('inApp.number')}</p>
      <strong class="number">{offer.number}</strong>
      {android ? (
        <a class="button primary" href={chromeIntent(offer.url)}>
          {t('inApp.chrome')}
        </a>
      ) : (
        <>
          <p>{t('inApp.paste')}</p>
          <Button kind="primary" onPress={() => void copy()}>
            {t(copied ? 'inApp.copied' : 'inApp.copy')}
          </Button>
          <p class="secret">{offer.url}</p>
        </>
      )}
    </div>
  );
}
