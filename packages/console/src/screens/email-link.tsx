import { Alert, Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { CallError, call } from '../api/client.ts';
import { beginSession } from '../api/session.tsx';
import { AppSetUp, CodeField } from '../parts/code-field.tsx';
import { Waiting } from '../parts/states.tsx';
import { type TextKey, useT } from '../texts/texts.tsx';
import { Welcome } from './welcome.tsx';

/** Signs in by a link from an e-mail and a code of the authenticator app, which is set up first if there is none. */
export function EmailLink({ code, onDone }: { code: string; onDone(): void }) {
  const t = useT();
  const client = useQueryClient();
  const [digits, setDigits] = useState('');
  const [fault, setFault] = useState<TextKey>();
  const [isBusy, setBusy] = useState(false);
  const opened = useQuery({
    queryKey: ['email-link', code],
    queryFn: () => call('consoleAccount', 'openEmailLink', { body: { code } }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (opened.isPending) return <Waiting />;
  if (opened.isError) {
    return (
      <Welcome title={t('state.error')}>
        <Alert color="red" variant="light" role="alert">
          {t('join.used')}
        </Alert>
        <Button variant="default" onClick={onDone}>
          {t('sso.back')}
        </Button>
      </Welcome>
    );
  }
  const { ceremonyId, enrolment } = opened.data;
  const signIn = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const body = { ceremonyId, code: digits };
      beginSession(client, await call('consoleAccount', 'completeEmailSignIn', { body }));
      onDone();
    } catch (error) {
      setFault(faultOf(error));
      setDigits('');
    } finally {
      setBusy(false);
    }
  };
  return (
    <Welcome title={t('signIn.title')} lead={t(enrolment ? 'code.setUp' : 'code.type')}>
      <form onSubmit={signIn} className="join">
        {enrolment && <AppSetUp enrolment={enrolment} />}
        <CodeField digits={digits} onDigits={setDigits} fault={fault && t(fault)} />
        <Button type="submit" size="md" fullWidth mt="md" loading={isBusy}>
          {t('code.signIn')}
        </Button>
      </form>
    </Welcome>
  );
}

function faultOf(error: unknown): TextKey {
  if (!(error instanceof CallError)) return 'state.error';
  if (error.code === 100216) return 'signIn.locked';
  return error.code === 100350 ? 'code.wrong' : 'join.used';
}
