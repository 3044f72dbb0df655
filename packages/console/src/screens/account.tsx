import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { startRegistration } from '@simplewebauthn/browser';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useSession } from '../api/session.tsx';
import { useAct } from '../parts/act.ts';
import { ActForm } from '../parts/act-form.tsx';
import { Tag } from '../parts/badges.tsx';
import { AppSetUp, CodeField } from '../parts/code-field.tsx';
import { useDeviceName } from '../parts/device-name.ts';
import { Dialog } from '../parts/dialogs.tsx';
import { useMomentText } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { SectionHead } from '../parts/section-head.tsx';
import { Failed, Waiting } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';

type CreationOptions = Parameters<typeof startRegistration>[0]['optionsJSON'];

export function Account() {
  const t = useT();
  const { operator } = useSession();
  return (
    <Page title={t('account.title')}>
      <Text>
        {operator.name} · {operator.email} · {operator.role}
      </Text>
      <Sessions />
      <Passkeys />
      <AuthenticatorApp />
    </Page>
  );
}

function Sessions() {
  const t = useT();
  const deviceName = useDeviceName();
  const momentText = useMomentText();
  const query = useQuery({ queryKey: ['my-sessions'], queryFn: () => call('consoleAccount', 'listSessions', {}) });
  const end = useAct((operatorSessionId: string) =>
    call('consoleAccount', 'endSession', { params: { operatorSessionId } }),
  );
  if (query.isPending) return <Waiting />;
  if (!query.data) return <Failed error={query.error} retry={() => query.refetch()} />;
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        {t('account.sessions')}
      </Title>
      <Stack gap="xs" component="ul" className="plain-list">
        {query.data.sessions.map(({ id, browser, network, createdDtm, current }) => (
          <li key={id} className="card">
            <Group justify="space-between">
              <div>
                <Text fw={600}>
                  {deviceName(browser)} {current && <Tag tone="good">{t('account.current')}</Tag>}
                </Text>
                <Text size="sm" c="dimmed">
                  <bdi>{network}</bdi> · {t('account.since', { time: momentText(createdDtm) })}
                </Text>
              </div>
              {!current && (
                <Button size="xs" variant="default" onClick={() => end.mutate(id)}>
                  {t('account.end')}
                </Button>
              )}
            </Group>
          </li>
        ))}
      </Stack>
    </section>
  );
}

async function addPasskey() {
  const { ceremonyId, publicKey } = await call('consoleAccount', 'startPasskey', { body: {} });
  const credential = await startRegistration({ optionsJSON: publicKey as unknown as CreationOptions });
  const body = { ceremonyId, credential: credential as unknown as Record<string, unknown> };
  return call('consoleAccount', 'completePasskey', { body });
}

function Passkeys() {
  const t = useT();
  const deviceName = useDeviceName();
  const momentText = useMomentText();
  const query = useQuery({ queryKey: ['my-passkeys'], queryFn: () => call('consoleAccount', 'listPasskeys', {}) });
  const add = useAct(addPasskey);
  const remove = useAct((operatorPasskeyId: string) =>
    call('consoleAccount', 'deletePasskey', { params: { operatorPasskeyId } }),
  );
  if (!query.data) return null;
  const { passkeys } = query.data;
  return (
    <section>
      <SectionHead title={t('account.passkeys')}>
        <Button size="xs" variant="default" onClick={() => add.mutate(undefined)} loading={add.isPending}>
          {t('account.addPasskey')}
        </Button>
      </SectionHead>
      <Stack gap="xs" component="ul" className="plain-list">
        {passkeys.map(({ id, name, createdDtm, lastUsedDtm }) => (
          <li key={id} className="card">
            <Group justify="space-between">
              <div>
                <Text fw={600}>{deviceName(name)}</Text>
                <Text size="sm" c="dimmed">
                  {t('account.since', { time: momentText(createdDtm) })} ·{' '}
                  {t('account.lastUsed', { time: momentText(lastUsedDtm) })}
                </Text>
              </div>
              {(passkeys.length > 1 || query.data.totp) && (
                <Button size="xs" variant="default" onClick={() => remove.mutate(id)}>
                  {t('app.delete')}
                </Button>
              )}
            </Group>
          </li>
        ))}
      </Stack>
    </section>
  );
}

/** An authenticator app, with which an operator signs in by e-mail link and code where no passkey is available. */
function AuthenticatorApp() {
  const t = useT();
  const { data } = useQuery({ queryKey: ['my-passkeys'], queryFn: () => call('consoleAccount', 'listPasskeys', {}) });
  const [enrolment, setEnrolment] = useState<Result<'consoleAccount', 'startTotp'>>();
  const [digits, setDigits] = useState('');
  const close = () => setEnrolment(undefined);
  const start = useAct(() => call('consoleAccount', 'startTotp', { body: {} }), setEnrolment);
  const complete = useAct(
    () => call('consoleAccount', 'completeTotp', { body: { ceremonyId: enrolment?.ceremonyId ?? '', code: digits } }),
    close,
  );
  const remove = useAct(() => call('consoleAccount', 'deleteTotp', {}));
  if (!data) return null;
  return (
    <section>
      <SectionHead title={t('code.app')}>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => start.mutate(undefined)} loading={start.isPending}>
            {t('code.add')}
          </Button>
          {data.totp && (
            <Button size="xs" variant="default" onClick={() => remove.mutate(undefined)}>
              {t('code.forget')}
            </Button>
          )}
        </Group>
      </SectionHead>
      <Text size="sm">{t(data.totp ? 'code.isSetUp' : 'code.isNotSetUp')}</Text>
      <Dialog opened={enrolment !== undefined} onClose={close} title={t('code.add')}>
        {enrolment && (
          <ActForm act={complete} submitLabel={t('app.save')}>
            <AppSetUp enrolment={enrolment} />
            <CodeField digits={digits} onDigits={setDigits} />
          </ActForm>
        )}
      </Dialog>
    </section>
  );
}
