import { Alert, Button, Text } from '@mantine/core';
import { startAuthentication } from '@simplewebauthn/browser';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CallError, call } from '../api/client.ts';
import { SESSION_KEY } from '../api/session.tsx';
import { type TextKey, useT } from '../texts/texts.tsx';
import { Welcome } from './welcome.tsx';

type RequestOptions = Parameters<typeof startAuthentication>[0]['optionsJSON'];

export function SignIn() {
  const t = useT();
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<TextKey>();
  const signIn = async () => {
    setBusy(true);
    setFault(undefined);
    try {
      const { ceremonyId, publicKey } = await call('consoleAccount', 'startSignIn', { body: {} });
      const credential = await startAuthentication({ optionsJSON: publicKey as unknown as RequestOptions });
      const body = { ceremonyId, credential: credential as unknown as Record<string, unknown> };
      client.setQueryData(SESSION_KEY, await call('consoleAccount', 'completeSignIn', { body }));
    } catch (error) {
      setFault(faultOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Welcome title={t('signIn.title')} lead={t('signIn.lead')}>
      {fault && (
        <Alert color="red" variant="light" role="alert">
          {t(fault)}
        </Alert>
      )}
      <Button size="md" onClick={signIn} loading={isBusy} autoFocus>
        {t('signIn.button')}
      </Button>
      <Text size="sm" c="dimmed">
        {t('signIn.lost')}
      </Text>
    </Welcome>
  );
}

function faultOf(error: unknown): TextKey {
  if (!(error instanceof CallError)) return 'signIn.cancelled';
  if (error.code === 100216) return 'signIn.locked';
  if (error.code === 100217) return 'signIn.elsewhere';
  return error.code === 100218 ? 'signIn.refused' : 'state.error';
}
