import { Button, Group, NativeSelect, Table, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { callLoosely, type Result } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';
import { say, useAct } from './act.ts';
import { ActForm } from './act-form.tsx';
import { Tag, WordTag } from './badges.tsx';
import { DeleteButton } from './delete-button.tsx';
import { Dialog } from './dialogs.tsx';
import { type Column, List } from './list.tsx';
import { Moment } from './moment.tsx';

type Summary = Result<'users', 'get'>['summaryInfo'];
type SessionRow = Result<'users', 'listSessions'>['content'][number];
export type UserParams = { storeName: string; userId: string };

type KeyRow = {
  key: string;
  kind: 'device' | 'appkey' | 'passkey' | 'totp' | 'face';
  name: string;
  rpId?: string;
  status?: string;
  isPreferred?: boolean;
  hasInvalidToken?: boolean;
  lastUsedDtm?: string | undefined;
  remove?: { isAllowed: boolean; act(): Promise<unknown> };
};

/** The credentials of a user, one per row: devices, their keys, passkeys, one-time codes, the face. */
export function UserKeys({ summary, params }: { summary: Summary; params: UserParams }) {
  const t = useT();
  const rows = useRows(summary, params);
  if (rows.length === 0) return null;
  return (
    <section aria-label={t('stores.summary')}>
      <Title order={2} size="h5" mb="sm">
        {t('stores.summary')}
      </Title>
      <Table className="list" verticalSpacing="xs">
        <caption className="hidden">{t('stores.summary')}</caption>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.key}>
              <Table.Td data-title={t('stores.modality')}>{t(`userKeys.${row.kind}`)}</Table.Td>
              <Table.Td data-title={t('keys.name')}>
                <span className="wrap">{row.name}</span>{' '}
                {row.isPreferred && <Tag tone="good">{t('userKeys.preferred')}</Tag>}{' '}
                {row.hasInvalidToken && <Tag tone="bad">{t('userKeys.invalidToken')}</Tag>}
              </Table.Td>
              <Table.Td data-title={t(row.status ? 'keys.status' : 'userKeys.party')}>
                {row.status ? <WordTag word={row.status} /> : row.rpId}
              </Table.Td>
              <Table.Td data-title={t('userKeys.lastUsed')}>
                <Moment at={row.lastUsedDtm} />
              </Table.Td>
              <Table.Td className="actions">
                <KeyActions row={row} params={params} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

function useRows({ devices, appkeys, passkeys, totps, biometrics }: Summary, params: UserParams): KeyRow[] {
  const may = useMay();
  return [
    ...devices.map(({ deviceId, rpId, preferred, invalidToken }) => ({
      key: `device ${rpId} ${deviceId}`,
      kind: 'device' as const,
      name: deviceId,
      rpId,
      isPreferred: preferred,
      hasInvalidToken: invalidToken === true,
    })),
    ...appkeys.map(({ keyId, rpId, deviceId }) => ({
      key: `appkey ${keyId}`,
      kind: 'appkey' as const,
      name: `${keyId} · ${deviceId}`,
      rpId,
      remove: {
        isAllowed: may('appkeys', 'deregisterKey'),
        act: () => callLoosely('appkeys', 'deregisterKey', { params: { ...params, rpId, keyId } }),
      },
    })),
    ...passkeys.map(({ id, rpId, credentialId, status, lastUsedDtm }) => ({
      key: `passkey ${id}`,
      kind: 'passkey' as const,
      name: `${rpId} · ${credentialId.slice(0, 12)}`,
      status,
      lastUsedDtm,
      remove: {
        isAllowed: may('passkeys', 'delete'),
        act: () => callLoosely('passkeys', 'delete', { params: { ...params, id } }),
      },
    })),
    ...totps.map(({ policyName, status }) => ({
      key: `totp ${policyName}`,
      kind: 'totp' as const,
      name: policyName,
      status,
      remove: {
        isAllowed: may('totps', 'deregister'),
        act: () => callLoosely('totps', 'deregister', { params: { ...params, policyName }, body: {} }),
      },
    })),
    ...biometrics.map(({ type, status }) => ({ key: `face ${type}`, kind: 'face' as const, name: type, status })),
  ];
}

function KeyActions({ row, params }: { row: KeyRow; params: UserParams }) {
  const t = useT();
  const may = useMay();
  const clear = useAct(() =>
    callLoosely('appkeys', 'clearPreferredDevice', { params: { ...params, rpId: row.rpId ?? '' } }),
  );
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {row.isPreferred && may('appkeys', 'clearPreferredDevice') && (
        <Button size="compact-xs" variant="default" onClick={() => clear.mutate(undefined)} loading={clear.isPending}>
          {t('userKeys.clearPreferred')}
        </Button>
      )}
      {row.remove?.isAllowed && (
        <DeleteButton name={row.name} lead={t('userKeys.deleteLead')} remove={row.remove.act} />
      )}
    </Group>
  );
}

/** The pending registrations and sign-ins of a user. */
export function UserSessions({ params }: { params: UserParams }) {
  const t = useT();
  const columns: Column<SessionRow>[] = [
    { title: t('stores.modality'), show: ({ modality }) => modality, text: ({ modality }) => modality },
    { title: t('tokens.type'), show: ({ type }) => <WordTag word={type} />, text: ({ type }) => type },
    { title: t('userKeys.party'), show: ({ rpId }) => rpId ?? '–', text: ({ rpId }) => rpId },
    {
      title: t('instances.created'),
      sort: 'createdDtm',
      show: (row) => <Moment at={row.createdDtm} />,
      text: (row) => row.createdDtm,
    },
    { title: t('keys.expires'), show: (row) => <Moment at={row.expiringDtm} />, text: (row) => row.expiringDtm },
  ];
  return (
    <section>
      <Title order={2} size="h5" mb="sm">
        {t('userKeys.sessions')}
      </Title>
      <List<SessionRow>
        group="users"
        name="listSessions"
        params={params}
        label={t('userKeys.sessions')}
        columns={columns}
        keyOf={({ id }) => id}
      />
    </section>
  );
}

/** Sends a message to the devices that hold the user's keys. */
export function SendPush({ summary, params }: { summary: Summary; params: UserParams }) {
  const t = useT();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const parties = [...new Set(summary.devices.map(({ rpId }) => rpId))];
  if (!may('pushNotifications', 'send') || parties.length === 0) return null;
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t('push.send')}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={t('push.send')}>
        <PushForm parties={parties} params={params} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

type PushFormProps = { parties: readonly string[]; params: UserParams; onDone(): void };

function PushForm({ parties, params, onDone }: PushFormProps) {
  const t = useT();
  const [rpId, setRpId] = useState(parties[0] ?? '');
  const [devices, setDevices] = useState('PREFERRED');
  const [title, setTitle] = useState('');
  const [message, setMessage] = useState('');
  const send = useAct(
    () => {
      const body = { type: 'GENERIC', devices, title, message };
      const answer = callLoosely('pushNotifications', 'send', { params: { ...params, rpId }, body });
      return answer as Promise<Result<'pushNotifications', 'send'>>;
    },
    ({ pushNotifications, number }) => {
      const n = pushNotifications.length;
      say(number === undefined ? t('push.sent', { n }) : `${t('push.sent', { n })} ${t('push.number', { number })}`);
      onDone();
    },
  );
  return (
    <ActForm act={send} submitLabel={t('push.send')} isDisabled={message.trim() === ''}>
      <NativeSelect
        label={t('stores.parties')}
        value={rpId}
        data={[...parties]}
        onChange={(event) => setRpId(event.currentTarget.value)}
      />
      <NativeSelect
        label={t('push.devices')}
        value={devices}
        data={[
          { value: 'PREFERRED', label: t('push.preferred') },
          { value: 'ALL', label: t('push.all') },
        ]}
        onChange={(event) => setDevices(event.currentTarget.value)}
      />
      <TextInput
        label={t('push.title')}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
        maxLength={255}
      />
      <TextInput
        label={t('push.message')}
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
        maxLength={1000}
        required
        data-autofocus
      />
      <Text size="xs" c="dimmed">
        {t('push.hint')}
      </Text>
    </ActForm>
  );
}
