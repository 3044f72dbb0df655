import { Alert, Button, Text, TextInput } from '@mantine/core';
import { browserSupportsWebAuthnAutofill, startAuthentication } from '@simplewebauthn/browser';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { CallError, call, goToProvider } from '../api/client.ts';
import { beginSession } from '../api/session.tsx';
import { type TextKey, useT } from '../texts/texts.tsx';
import { Welcome } from './welcome.tsx';

type RequestOptions = Parameters<typeof startAuthentication>[0]['optionsJSON'];

/** `hasEnded`: the session of this page has expired, and its input is still in memory. */
export function SignIn({ hasEnded }: { hasEnded: boolean }) {
  const t = useT();
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<TextKey>();
  const [email, setEmail] = useState('');
  const isPressed = useRef(false);
  const signInBy = async (useBrowserAutofill: boolean) => {
    const { ceremonyId, publicKey } = await call('consoleAccount', 'startSignIn', { body: {} });
    // If the button was already pressed, the request of the field must not replace its ceremony.
    if (useBrowserAutofill && isPressed.current) return;
    const optionsJSON = publicKey as unknown as RequestOptions;
    const credential = await startAuthentication({ optionsJSON, useBrowserAutofill });
    const body = { ceremonyId, credential: credential as unknown as Record<string, unknown> };
    beginSession(client, await call('consoleAccount', 'completeSignIn', { body }));
  };
  // The browser offers passkeys in the field. It waits as long as the page is there, and gives way to the button.
  // biome-ignore lint/correctness/useExhaustiveDependencies: begun once for each page.
  useEffect(() => {
    browserSupportsWebAuthnAutofill()
      .then((isSupported) => (isSupported ? signInBy(true) : undefined))
      .catch((error) => error instanceof CallError && setFault(faultOf(error)));
  }, []);
  const signIn = async () => {
    isPressed.current = true;
    setBusy(true);
    setFault(undefined);
    try {
      await signInBy(false);
    } catch (error) {
      setFault(faultOf(error));
    } finally {
      setBusy(false);
    }
  };
  const options = useQuery({ queryKey: ['sign-in'], queryFn: () => call('consoleAccount', 'signInOptions', {}) });
  const leave = () => goToProvider().catch((error) => setFault(faultOf(error)));
  return (
    <Welcome title={t('signIn.title')} lead={t('signIn.lead')}>
      <Notices hasEnded={hasEnded} fault={fault} />
      <TextInput
        label={t('join.email')}
        name="username"
        autoComplete="username webauthn"
        type="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <Button size="md" onClick={signIn} loading={isBusy} autoFocus>
        {t('signIn.button')}
      </Button>
      {options.data?.emailLink && <LinkByEmail email={email} onFault={(error) => setFault(faultOf(error))} />}
      {options.data?.singleSignOn && (
        <Button size="md" variant="default" onClick={leave}>
          {t('sso.button')}
        </Button>
      )}
      <Text size="sm" c="dimmed">
        {t('signIn.lost')}
      </Text>
    </Welcome>
  );
}

function Notices({ hasEnded, fault }: { hasEnded: boolean; fault: TextKey | undefined }) {
  const t = useT();
  return (
    <>
      {hasEnded && (
        <Alert color="gray" variant="light" role="status">
          {t('signIn.ended')}
        </Alert>
      )}
      {fault && (
        <Alert color="red" variant="light" role="alert">
          {t(fault)}
        </Alert>
      )}
    </>
  );
}

/** Responds in the same way whether or not an operator has the address, so that addresses cannot be probed. */
function LinkByEmail({ email, onFault }: { email: string; onFault(error: unknown): void }) {
  const t = useT();
  const [isSent, setSent] = useState(false);
  const send = () =>
    call('consoleAccount', 'startEmailSignIn', { body: { email } })
      .then(() => setSent(true))
      .catch(onFault);
  return (
    <>
      <Button size="md" variant="default" onClick={send} disabled={!email.includes('@')}>
        {t('code.sendLink')}
      </Button>
      {isSent && (
        <Alert color="teal" variant="light" role="status">
          {t('code.sent')}
        </Alert>
      )}
    </>
  );
}

function faultOf(error: unknown): TextKey {
  if (!(error instanceof CallError)) return 'signIn.cancelled';
  if (error.code === 100216) return 'signIn.locked';
  if (error.code === 100217) return 'signIn.elsewhere';
  return error.code === 100218 ? 'signIn.refused' : 'state.error';
}
