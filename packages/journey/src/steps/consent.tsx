import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Journey } from '../api.ts';
import { useBack } from '../back-stack.ts';
import { type LocalText, OwnText } from '../i18n/own-text.tsx';
import type { Translate } from '../i18n/translate.ts';
import { CONSENT_PAGE } from '../page-rules.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { Agreement, Closed } from '../ui/illustrations.tsx';
import { Title } from '../ui/title.tsx';
import type { StepProps } from './step.ts';

/**
 * Says how the data is processed, and offers two answers that are equally easy to give. The version and the language of
 * the texts are submitted with the answer.
 */
type Settings = { textVersion: string; purpose?: LocalText; declineText?: LocalText; privacyUrl?: string };

export function ConsentStep({ journey, step, t, language, submit }: StepProps) {
  const [declining, setDeclining] = useState(false);
  const [busy, setBusy] = useState<boolean>();
  const [error, setError] = useState<unknown>();
  const { textVersion, declineText } = step.settings as Settings;
  const answer = async (accepted: boolean) => {
    setBusy(accepted);
    setError(undefined);
    try {
      await submit({ accepted, textVersion, language, page: CONSENT_PAGE });
    } catch (thrown) {
      setError(thrown);
    }
    setBusy(undefined);
  };
  useBack(declining ? () => setDeclining(false) : undefined, 'step');
  if (declining) {
    return (
      <Decline
        t={t}
        language={language}
        journey={journey}
        error={error}
        busy={busy !== undefined}
        own={declineText}
        onBack={() => setDeclining(false)}
        onDecline={() => answer(false)}
      />
    );
  }
  return (
    <>
      <Agreement />
      <Title>{t('consent.title')}</Title>
      <Terms t={t} language={language} journey={journey} settings={step.settings as Settings} />
      <ErrorNote t={t} error={error} />
      <div class="actions alike">
        <Button kind="primary" busy={busy === true} onPress={() => answer(true)}>
          {t('consent.accept')}
        </Button>
        <Button onPress={() => setDeclining(true)}>{t('consent.decline')}</Button>
      </div>
    </>
  );
}

type TermsProps = { t: Translate; language: string; journey: Journey; settings: Settings };

function Terms({ t, language, journey, settings }: TermsProps) {
  const { tenantName: tenant, needs, retentionDays: days } = journey;
  return (
    <>
      <p class="lead">{t('consent.lead', { tenant })}</p>
      <ul class="list">
        <Term icon="target" title={t('consent.purpose')}>
          {settings.purpose === undefined ? (
            t('consent.purpose.text', { tenant })
          ) : (
            <OwnText text={settings.purpose} language={language} />
          )}
        </Term>
        {needs.includes('document') && (
          <Term icon="document" title={t('consent.document')}>
            {t('consent.document.text')}
          </Term>
        )}
        {needs.includes('form') && (
          <Term icon="form" title={t('consent.form')}>
            {t('consent.form.text')}
          </Term>
        )}
        {needs.includes('face') && (
          <Term icon="face" title={t('consent.face')}>
            {t('consent.face.text')}
          </Term>
        )}
        <Term icon="bin" title={t('consent.retention')}>
          {t('consent.retention.text', { days })}
        </Term>
        <Term icon="shield" title={t('consent.rights')}>
          {t('consent.rights.text', { tenant })}
        </Term>
      </ul>
      {settings.privacyUrl && (
        <p>
          <a href={settings.privacyUrl} target="_blank" rel="noreferrer noopener">
            {t('consent.privacy', { tenant })}
          </a>
        </p>
      )}
    </>
  );
}

function Term({
  icon,
  title,
  children,
}: {
  icon: Parameters<typeof Icon>[0]['name'];
  title: string;
  children: ComponentChildren;
}) {
  return (
    <li>
      <Icon name={icon} />
      <span>
        <strong>{title}</strong>
        <small>{children}</small>
      </span>
    </li>
  );
}

type DeclineProps = {
  t: Translate;
  language: string;
  own: LocalText | undefined;
  journey: Journey;
  error: unknown;
  busy: boolean;
  onBack(): void;
  onDecline(): void;
};

/** Explains what declining means, and asks once more. */
function Decline({ t, language, own, journey, error, busy, onBack, onDecline }: DeclineProps) {
  return (
    <>
      <Closed />
      <Title>{t('decline.title')}</Title>
      <p class="lead">
        {own === undefined ? (
          t('decline.text', { tenant: journey.tenantName })
        ) : (
          <OwnText text={own} language={language} />
        )}
      </p>
      <ErrorNote t={t} error={error} />
      <div class="actions alike">
        <Button kind="primary" onPress={onBack}>
          {t('decline.back')}
        </Button>
        <Button busy={busy} onPress={onDecline}>
          {t('decline.confirm')}
        </Button>
      </div>
    </>
  );
}
