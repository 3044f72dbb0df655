import { Alert, Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { CallError, call } from '../api/client.ts';
import { beginSession } from '../api/session.tsx';
import { Waiting } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';
import { Welcome } from './welcome.tsx';

/** The provider has sent the browser back: what it answered signs the person in. */
export function ProviderAnswer({ query, onDone }: { query: string; onDone(): void }) {
  const t = useT();
  const client = useQueryClient();
  const [fault, setFault] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer is good once.
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
