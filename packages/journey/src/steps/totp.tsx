import { useRef, useState } from 'preact/hooks';
import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { QrCode } from '../ui/qr-code.tsx';
import { Title } from '../ui/title.tsx';
import type { StepProps } from './step.ts';
import { useBegun } from './use-begun.ts';

/** A code from an authenticator app; for the first one, the app is told the secret. */
type Settings = { qrCode?: string; uri?: string; secret?: string; digits?: number };
const DIGITS = 6;

export function TotpStep({ step, t, api, submit, unable }: StepProps) {
  const begun = useBegun({ api, submit });
  const settings: Settings = begun.settings ?? {};
  const { digits = DIGITS } = settings;
  const [code, setCode] = useState('');
  const [wrong, setWrong] = useState(step.fault !== undefined);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const input = useRef<HTMLInputElement>(null);
  const send = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setError(undefined);
    const typed = code.replace(/\s/g, '');
    const good = typed.length === digits && /^\d+$/.test(typed);
    setWrong(!good);
    if (!good) return input.current?.focus();
    setBusy(true);
    await submit({ code: typed }).catch(setError);
    setBusy(false);
  };
  const name = step.type === 'totpRegistration' ? 'totp.make' : 'totp.use';
  return (
    <form noValidate onSubmit={send} class="view">
      <Title>{t(`${name}.title`)}</Title>
      <p class="lead">{t(`${name}.text`)}</p>
      {step.type === 'totpRegistration' && <Secret t={t} settings={settings} />}
      <div class="field">
        <label for="totp-code">{t('totp.code', { digits })}</label>
        <input
          ref={input}
          id="totp-code"
          class="code-input"
          type="text"
          inputMode="numeric"
          autocomplete="one-time-code"
          dir="ltr"
          value={code}
          aria-invalid={wrong}
          aria-describedby={wrong ? 'totp-fault' : undefined}
          onInput={({ currentTarget }) => setCode(currentTarget.value)}
        />
        {wrong && (
          <p class="error" id="totp-fault" role="alert">
            <Icon name="warning" />
            {t('totp.wrong', { digits })}
          </p>
        )}
      </div>
      <ErrorNote t={t} error={error ?? begun.error} />
      <div class="actions">
        <Button kind="primary" submit busy={busy}>
          {t('continue')}
        </Button>
        <Button kind="quiet" onPress={unable}>
          {t('unable')}
        </Button>
      </div>
    </form>
  );
}

function Secret({ t, settings: { qrCode, uri, secret } }: { t: Translate; settings: Settings }) {
  return (
    <>
      {uri ? (
        <QrCode text={uri} label={t('totp.qr')} />
      ) : (
        qrCode?.startsWith('data:image/') && <img class="qr" src={qrCode} alt={t('totp.qr')} />
      )}
      {secret && (
        <>
          <p class="note">{t('totp.secret')}</p>
          <p>
            <code class="secret" dir="ltr">
              {secret}
            </code>
          </p>
        </>
      )}
    </>
  );
}
