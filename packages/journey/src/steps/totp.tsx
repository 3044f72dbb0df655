import { useRef, useState } from 'preact/hooks';
import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { isPhone } from '../ui/is-phone.ts';
import { QrCode } from '../ui/qr-code.tsx';
import { Title } from '../ui/title.tsx';
import type { StepProps } from './step.ts';
import { type StepBeginning, useBeginning } from './use-begun.ts';

/** Asks for a code of an authenticator app; a registration shows the secret for the app first. */
type Settings = {
  qrCode?: string;
  uri?: string;
  secret?: string;
  digits?: number;
  /** An earlier secret of this step no longer works. */
  replaces?: boolean;
};
const DIGITS = 6;
/** The secret of the code no longer exists. */
const SECRET_GONE = 'code_100035';

export function TotpStep({ step, t, api, submit, unable }: StepProps) {
  const beginning = useBeginning({ api, submit });
  const settings: Settings = beginning.settings ?? {};
  const { digits = DIGITS, replaces = false } = settings;
  const [code, setCode] = useState('');
  const [wrong, setWrong] = useState(step.fault !== undefined && step.fault.reason !== SECRET_GONE);
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
  const making = step.type === 'totpRegistration';
  const name = making ? 'totp.make' : 'totp.use';
  return (
    <form noValidate onSubmit={send} class="view">
      <Title>{t(`${name}.title`)}</Title>
      <p class="lead">{t(making && isPhone() ? 'totp.make.phone' : `${name}.text`)}</p>
      {making && replaces && (
        <p class="panel tinted" role="status">
          {t('totp.replaced')}
        </p>
      )}
      {making && <Secret t={t} settings={settings} renew={beginning.renew} />}
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
            {t('totp.wrong', { digits })} {step.fault && t('totp.left', { left: step.triesLeft })}
          </p>
        )}
      </div>
      <ErrorNote t={t} error={error ?? beginning.error} />
      <div class="actions below">
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

type SecretProps = { t: Translate; settings: Settings; renew: StepBeginning['renew'] };

/** On a phone the app is on the same device, which cannot scan its own screen, so a link opens it. */
function Secret({ t, settings: { qrCode, uri, secret }, renew }: SecretProps) {
  const phone = isPhone();
  const link = uri?.startsWith('otpauth:') ? uri : undefined;
  return (
    <>
      {phone && link && (
        <a class="button" href={link}>
          <Icon name="phone" />
          {t('totp.open')}
        </a>
      )}
      {!phone &&
        (uri ? (
          <QrCode text={uri} label={t('totp.qr')} />
        ) : (
          qrCode?.startsWith('data:image/') && <img class="qr" src={qrCode} alt={t('totp.qr')} />
        ))}
      {secret && (
        <div class="secret-place">
          <p class="note">{t('totp.secret')}</p>
          <code class="secret" dir="ltr">
            {secret}
          </code>
          <CopyButton text={secret} label={t('totp.copy')} done={t('totp.copied')} />
          <Button kind="quiet" onPress={() => void renew(true)}>
            {t('totp.anew')}
          </Button>
        </div>
      )}
    </>
  );
}
