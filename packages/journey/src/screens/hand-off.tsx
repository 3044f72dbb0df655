import { useState } from 'preact/hooks';
import type { Journey, Offer, ShellApi } from '../api.ts';
import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Devices } from '../ui/illustrations.tsx';
import { Landing } from '../ui/landing.tsx';
import { QrCode } from '../ui/qr-code.tsx';
import { Title } from '../ui/title.tsx';
import { useLater } from './use-later.ts';
import { useOffer } from './use-offer.ts';

/** Shown on the first device: a code for the phone, and the number to find again there. */
type HandOffProps = { t: Translate; language: string; journey: Journey; api: ShellApi; onStay(): void };

export function HandOffScreen({ t, language, journey, api, onStay }: HandOffProps) {
  const { offer, state, error, renew, replace } = useOffer(api, journey.device.handoff);
  const { messages } = journey;
  const later = useLater(messages !== undefined, () => import('./send-link.tsx'));
  const [leaving, setLeaving] = useState(false);
  const stay = async () => {
    setLeaving(true);
    // A failure is ignored: without an offer there is nothing to withdraw.
    await api.takeBack().catch(() => undefined);
    onStay();
  };
  return (
    <>
      <Title>{t('handOff.title')}</Title>
      {(state === 'open' || state === 'making') && offer && <Code t={t} offer={offer} />}
      {state === 'making' && !error && (
        <p class="live centred">
          <span class="spinner" aria-hidden="true" />
          <span class="hidden">{t('loading')}</span>
        </p>
      )}
      {(state === 'confirming' || state === 'refused' || state === 'over') && <Devices />}
      <div role="status">
        {state === 'confirming' && offer && (
          <Landing key="confirming">
            <Match t={t} offer={offer} />
          </Landing>
        )}
        {state === 'refused' && (
          <Landing key="refused">
            <p class="lead">{t('handOff.refused')}</p>
          </Landing>
        )}
        {state === 'over' && !leaving && <p class="lead">{t('handOff.over')}</p>}
      </div>
      {state === 'open' && (
        <p class="live centred">
          <span class="dot" aria-hidden="true" />
          {t('handOff.waiting')}
        </p>
      )}
      <ErrorNote t={t} error={error} />
      <div class="actions">
        {(state === 'refused' || state === 'over' || error !== undefined) && (
          <Button kind="primary" onPress={renew}>
            {t('handOff.renew')}
          </Button>
        )}
        {state === 'open' && later && messages && (
          <later.SendLink t={t} language={language} messages={messages} api={api} onSent={replace} />
        )}
        {state === 'open' && offer && <CopyLink t={t} url={offer.url} />}
        <Button kind="quiet" busy={leaving} onPress={stay}>
          {t('handOff.stay')}
        </Button>
      </div>
    </>
  );
}

function Code({ t, offer }: { t: Translate; offer: Offer }) {
  return (
    <>
      <p class="lead">{t('handOff.text')}</p>
      <QrCode text={offer.url} label={t('handOff.qr')} />
      <p class="panel tinted number-ahead">
        <span>{t('handOff.match')}</span> <strong>{offer.number}</strong>
      </p>
      {isOnlyHere(offer.url) && (
        <p class="note" lang="en" dir="ltr">
          For developers: a phone cannot open {new URL(offer.url).hostname}. Set GROVE_DOMAIN to a name that it can.
        </p>
      )}
    </>
  );
}

/** Whether the address works on this machine only: people who try Grove on a laptop would scan it in vain. */
function isOnlyHere(url: string): boolean {
  return /(^|\.)localhost$|^127\.|^\[::1\]$/.test(new URL(url).hostname);
}

function Match({ t, offer }: { t: Translate; offer: Offer }) {
  return (
    <div class="panel tinted centred">
      <p>{t('handOff.match')}</p>
      <p class="number">{offer.number}</p>
    </div>
  );
}

function CopyLink({ t, url }: { t: Translate; url: string }) {
  const [isRefused, setIsRefused] = useState(false);
  return (
    <>
      <CopyButton
        text={url}
        label={t('handOff.copy')}
        done={t('handOff.copied')}
        onRefused={() => setIsRefused(true)}
      />
      {isRefused && <code class="secret">{url}</code>}
    </>
  );
}

/** Shown on the first device while the phone is used. */
export function WatchingScreen({
  t,
  journey,
  onTakeBack,
}: {
  t: Translate;
  journey: Journey;
  onTakeBack(): Promise<void>;
}) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { position, total } = journey.progress;
  const takeBack = async () => {
    setBusy(true);
    setError(undefined);
    await onTakeBack().catch(setError);
    setBusy(false);
  };
  return (
    <>
      <Devices />
      <Title>{t('watching.title')}</Title>
      <p class="lead">{t('watching.text')}</p>
      <p class="live" role="status">
        <span class="dot" aria-hidden="true" />
        {t(journey.waitingFor ? 'waiting.live' : 'progress', { position, total })}
      </p>
      <ErrorNote t={t} error={error} />
      <div class="actions">
        <Button busy={busy} onPress={takeBack}>
          {t('watching.takeBack')}
        </Button>
      </div>
    </>
  );
}

/** Another browser has taken over the journey, by a link of its own. */
export function ElsewhereScreen({ t }: { t: Translate }) {
  return (
    <>
      <Devices />
      <Title>{t('elsewhere.title')}</Title>
      <p class="lead">{t('elsewhere.text')}</p>
    </>
  );
}
