import { Alert, Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { CallError, call } from '../api/client.ts';
import { beginSession } from '../api/session.tsx';
import { Waiting } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';
import { Welcome } from './welcome.tsx';

/** Signs in with the response that the provider has sent by redirect. */
export function ProviderAnswer({ query, onDone }: { query: string; onDone(): void }) {
  const t = useT();
  const client = useQueryClient();
  const [fault, setFault] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a response can be used once.
  useEffect(() => {
    call('consoleAccount', 'completeSingleSignOn', { body: { query } }).then(
      (session) => {
        beginSession(client, session);
        onDone();
      },
      (error) => setFault(error instanceof CallError ? error.message : t('state.error')),
    );
  }, []);
  if (fault === undefined) return <Waiting />;
  return (
    <Welcome title={t('signIn.title')}>
      <Alert color="red" variant="light" role="alert">
        {fault}
      </Alert>
      <Button onClick={onDone} autoFocus>
        {t('sso.back')}
      </Button>
    </Welcome>
  );
}
