import { refusals } from 'virtual:grove-codes';
import { Alert, Button, Code, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { callLoosely, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { useAct } from '../parts/act.ts';
import { Tag, WordTag } from '../parts/badges.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Failed, Guarded, Waiting } from '../parts/states.tsx';
import { SendPush, UserKeys, UserSessions } from '../parts/user-keys.tsx';
import { useT } from '../texts/texts.tsx';

type UserView = Result<'users', 'get'>;
type AuthenticationRow = Result<'users', 'listAuthentications'>['content'][number];
type Params = { storeName: string; userId: string };

/** One user of a store: credentials, authentications and locks. */
export function StoreUser() {
  const { name = '', userId = '' } = useParams({ strict: false }) as { name?: string; userId?: string };
  const environment = useEnvironment();
  const params = { storeName: name, userId };
  const query = useQuery({
    queryKey: [environment, 'user', name, userId],
    queryFn: () => callLoosely('users', 'get', { params }) as Promise<UserView>,
  });
  return (
    <Guarded group="users" name="get">
      {query.isPending && <Waiting />}
      {query.isError && <Failed error={query.error} retry={() => query.refetch()} />}
      {query.data && <UserDetails user={query.data} params={params} />}
    </Guarded>
  );
}

function UserDetails({ user, params }: { user: UserView; params: Params }) {
  const t = useT();
  const may = useMay();
  const navigate = useNavigate();
  const isWhollyLocked = user.status === 'LOCKED' || user.status === 'TEMP_LOCKED';
  const lockedModalities = modalitiesOf(user).filter(({ locked }) => locked);
  // Too many failures lock one modality; the status of the user then still is ACTIVE.
  const isLocked = isWhollyLocked || lockedModalities.length > 0;
  const lock = useAct(() => callLoosely('users', isLocked ? 'unlock' : 'lock', { params, body: {} }));
  return (
    <Page
      title={user.extId ?? user.id}
      actions={
        <>
          {may('users', isLocked ? 'unlock' : 'lock') && (
            <Button variant="default" onClick={() => lock.mutate(undefined)} loading={lock.isPending}>
              {t(isLocked ? 'operators.unlock' : 'stores.lock')}
            </Button>
          )}
          {may('events', 'startQuery') && (
            <Button variant="default" component={Link} to="/events" search={{ userId: user.id } as never}>
              {t('events.title')}
            </Button>
          )}
          <SendPush summary={user.summaryInfo} params={params} />
          {may('users', 'delete') && (
            <DeleteButton
              size="sm"
              name={user.extId ?? user.id}
              lead={t('stores.deleteLead')}
              remove={() => callLoosely('users', 'delete', { params })}
              onDone={() => navigate({ to: `/stores/${encodeURIComponent(params.storeName)}` })}
            />
          )}
        </>
      }
    >
      <Group gap="xs">
        <WordTag word={user.status} />
        <Text size="xs" c="dimmed">
          {user.id}
        </Text>
      </Group>
      {isLocked && (
        <Alert color="red" variant="light">
          {isWhollyLocked
            ? t('stores.locked')
            : t('stores.lockedModalities', { names: lockedModalities.map(({ modality }) => modality).join(', ') })}
        </Alert>
      )}
      <LockState user={user} />
      <UserKeys summary={user.summaryInfo} params={params} />
      <Facts title={t('stores.attributes')} of={user.attributes} />
      {may('users', 'listSessions') && <UserSessions params={params} />}
      {may('users', 'listAuthentications') && <Authentications params={params} />}
    </Page>
  );
}

function modalitiesOf({ lockInfo }: UserView) {
  return Object.entries(lockInfo.modalities).map(([modality, state]) => ({ modality, ...state }));
}

/** The number of recent failures, and the locked modalities. */
function LockState({ user }: { user: UserView }) {
  const t = useT();
  const { failedCount, lockCount } = user.lockInfo;
  const modalities = modalitiesOf(user);
  if (modalities.length === 0 && failedCount === 0 && lockCount === 0) return null;
  const all = { modality: t('stores.allModalities'), failedCount, locked: false, tempLockExpiresDtm: undefined };
  const rows = [all, ...modalities];
  return (
    <section aria-label={t('stores.lockState')}>
      <Title order={2} size="h5" mb="sm">
        {t('stores.lockState')}
      </Title>
      <Table withTableBorder>
        <Table.Tbody>
          {rows.map(({ modality, failedCount: failures, locked, tempLockExpiresDtm }) => (
            <Table.Tr key={modality}>
              <Table.Td>{modality}</Table.Td>
              <Table.Td>{t('stores.failures', { n: failures })}</Table.Td>
              <Table.Td>
                {locked && <WordTag word="LOCKED" />} {tempLockExpiresDtm && <Moment at={tempLockExpiresDtm} />}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function Authentications({ params }: { params: Params }) {
  const t = useT();
  const columns: Column<AuthenticationRow>[] = [
    { title: t('stores.modality'), show: ({ modality }) => modality, text: ({ modality }) => modality },
    {
      title: t('stores.result'),
      show: ({ succeeded, code }) => (
        <>
          <Tag tone={succeeded ? 'good' : 'bad'}>
            {succeeded ? t('check.PASSED') : `${t('check.FAILED')} ${code ?? ''}`}
          </Tag>
          {code !== undefined && (
            <Text size="xs" c="dimmed" lang="en" dir="ltr">
              {refusals[code]}
            </Text>
          )}
        </>
      ),
      text: ({ succeeded, code = '' }) => (succeeded ? 'ok' : `${code} ${refusals[code] ?? ''}`),
    },
    { title: t('audit.when'), show: (row) => <Moment at={row.createdDtm} />, text: (row) => row.createdDtm },
  ];
  return (
    <section>
      <Title order={2} size="h5" mb="sm">
        {t('stores.authentications')}
      </Title>
      <List<AuthenticationRow>
        group="users"
        name="listAuthentications"
        params={params}
        label={t('stores.authentications')}
        columns={columns}
        keyOf={({ id }) => id}
      />
    </section>
  );
}

/** The members of an object, one per row; nested objects are shown as JSON. */
function Facts({ title, of }: { title: string; of: object | undefined }) {
  const entries = Object.entries(of ?? {});
  if (entries.length === 0) return null;
  return (
    <section>
      <Title order={2} size="h5" mb="sm">
        {title}
      </Title>
      <Stack gap="xs">
        <Table withTableBorder>
          <Table.Tbody>
            {entries.map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Td>
                  <Text size="sm" c="dimmed">
                    {name}
                  </Text>
                </Table.Td>
                <Table.Td>
                  {typeof value === 'object' && value !== null ? (
                    <Code block className="wrap">
                      {JSON.stringify(value, null, 2)}
                    </Code>
                  ) : (
                    <bdi>{String(value)}</bdi>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Stack>
    </section>
  );
}
