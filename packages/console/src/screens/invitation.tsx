import { Alert, Button, TextInput } from '@mantine/core';
import { startRegistration } from '@simplewebauthn/browser';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { CallError, call, type Result } from '../api/client.ts';
import { beginSession } from '../api/session.tsx';
import { Waiting } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';
import { Welcome } from './welcome.tsx';

type Opened = Result<'consoleAccount', 'openInvitation'>;
type CreationOptions = Parameters<typeof startRegistration>[0]['optionsJSON'];

/** An invited person registers a passkey, and is signed in. */
export function Invitation({ code, onJoined }: { code: string; onJoined(): void }) {
  const t = useT();
  const opened = useQuery({
    queryKey: ['invitation', code],
    queryFn: () => call('consoleAccount', 'openInvitation', { body: { code } }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (opened.isPending) return <Waiting />;
  if (opened.isError) {
    const isElsewhere = opened.error instanceof CallError && opened.error.code === 100217;
    return (
      <Welcome title={t('state.error')}>
        <Alert color="red" variant="light" role="alert">
          {t(isElsewhere ? 'signIn.elsewhere' : 'join.used')}
        </Alert>
        <Button variant="default" onClick={onJoined}>
          {t('signIn.button')}
        </Button>
      </Welcome>
    );
  }
  return <Join code={code} invitation={opened.data} onJoined={onJoined} />;
}

/** Registers a passkey; resolves to the new session. */
async function accept({ ceremonyId, publicKey }: Opened, fields: { code: string; name: string; email?: string }) {
  const optionsJSON = publicKey as unknown as CreationOptions;
  const credential = (await startRegistration({ optionsJSON })) as unknown as Record<string, unknown>;
  return call('consoleAccount', 'acceptInvitation', { body: { ...fields, ceremonyId, credential } });
}

function Join({ code, invitation, onJoined }: { code: string; invitation: Opened; onJoined(): void }) {
  const t = useT();
  const client = useQueryClient();
  const isFirst = invitation.email === undefined;
  const [name, setName] = useState(isFirst ? '' : invitation.name);
  const [email, setEmail] = useState('');
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const join = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(undefined);
    try {
      // The options can be used once, so another attempt needs new ones.
      const options = fault ? await call('consoleAccount', 'openInvitation', { body: { code } }) : invitation;
      const fields = { code, name: name.trim(), ...(isFirst && { email: email.trim() }) };
      beginSession(client, await accept(options, fields));
      onJoined();
    } catch (error) {
      setFault(error instanceof CallError ? error.message : t('signIn.cancelled'));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Welcome
      title={t('join.title', { tenant: invitation.tenantName })}
      lead={isFirst ? t('join.first') : t('join.lead', { role: invitation.role })}
    >
      <form onSubmit={join} className="join">
        <TextInput
          label={t('join.name')}
          description={t('join.nameHint')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={100}
          autoComplete="name"
          required
          mb="sm"
        />
        <TextInput
          label={t('join.email')}
          type="email"
          value={invitation.email ?? email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          readOnly={!isFirst}
          autoComplete="username webauthn"
          required
          mb="md"
        />
        {fault && (
          <Alert color="red" variant="light" role="alert" mb="md">
            {fault}
          </Alert>
        )}
        <Button type="submit" size="md" fullWidth loading={isBusy}>
          {t('join.button')}
        </Button>
      </form>
    </Welcome>
  );
}
