import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { useState } from 'preact/hooks';
import type { Translate } from '../i18n/translate.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { KeyFigure } from '../ui/illustrations.tsx';
import { Title } from '../ui/title.tsx';
import type { StepProps } from './step.ts';
import { useBeginning } from './use-begun.ts';
import { type PasskeyOptions, useConditional } from './use-conditional.ts';

/** Registers or uses a passkey. The browser's dialog asks the end user, and its response is submitted unchanged. */
type Registration = Parameters<typeof startRegistration>[0]['optionsJSON'];
type Authentication = Parameters<typeof startAuthentication>[0]['optionsJSON'];

export function PasskeyStep({ step, t, api, submit, unable, handOff }: StepProps) {
  const beginning = useBeginning({ api, submit });
  const making = step.type === 'passkeyRegistration';
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isRefused, setIsRefused] = useState(false);
  const send = async (credential: object) => {
    setBusy(true);
    await submit({ credential }).catch(setError);
    setBusy(false);
  };
  const hasField = useConditional({ making, options: inTime(beginning.settings), paused: busy, onCredential: send });
  const run = async () => {
    setBusy(true);
    setError(undefined);
    setIsRefused(false);
    const { publicKey } = inTime(beginning.settings) ?? inTime(await beginning.renew()) ?? {};
    if (!publicKey) return setBusy(false);
    let credential: object;
    try {
      credential = making
        ? await startRegistration({ optionsJSON: publicKey as Registration })
        : await startAuthentication({ optionsJSON: publicKey as Authentication });
    } catch {
      // An end user who closes the browser's dialog has not failed and may try again.
      setIsRefused(true);
      setBusy(false);
      return;
    }
    await send(credential);
  };
  const faulty = isRefused || step.fault !== undefined;
  const supported = browserSupportsWebAuthn();
  const name = making ? 'passkey.make' : 'passkey.use';
  return (
    <>
      <KeyFigure />
      <Title>{t(`${name}.title`)}</Title>
      <p class="lead">{t(supported ? `${name}.text` : 'passkey.unsupported')}</p>
      {faulty && (
        <p class="error" role="alert">
          <Icon name="warning" />
          {t('passkey.refused')}
        </p>
      )}
      {hasField && <PasskeyField t={t} onEnter={run} />}
      <ErrorNote t={t} error={error ?? beginning.error} />
      <div class="actions">
        {supported ? (
          <Button kind="primary" busy={busy} onPress={run}>
            {t(faulty ? 'again' : `${name}.go`)}
          </Button>
        ) : (
          <Button kind="primary" onPress={handOff}>
            {t('switch.phone')}
          </Button>
        )}
        <Button kind="quiet" onPress={unable}>
          {t('unable')}
        </Button>
      </div>
    </>
  );
}

/** The browser offers its passkeys in this field. Typed input is never sent. */
function PasskeyField({ t, onEnter }: { t: Translate; onEnter(): void }) {
  const enter = (event: Event) => {
    event.preventDefault();
    onEnter();
  };
  return (
    <form class="field" onSubmit={enter}>
      <label for="passkey-field">{t('passkey.choose')}</label>
      <input id="passkey-field" type="text" autocomplete="username webauthn" aria-describedby="passkey-hint" />
      <p class="note" id="passkey-hint">
        {t('passkey.choose.hint')}
      </p>
    </form>
  );
}

/** Drops options whose time is up, because the server would refuse their challenge. */
function inTime(settings: PasskeyOptions | undefined): PasskeyOptions | undefined {
  return settings?.expiringDtm && Date.parse(settings.expiringDtm) > Date.now() ? settings : undefined;
}
