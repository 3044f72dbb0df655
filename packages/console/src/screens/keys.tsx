import { Button, Group, NativeSelect, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { useAct } from '../parts/act.ts';
import { ActForm } from '../parts/act-form.tsx';
import { WordTag } from '../parts/badges.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Dialog, OnceShown } from '../parts/dialogs.tsx';
import { NameFilter, useFilters } from '../parts/filters.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { NameField } from '../parts/name-field.tsx';
import { Page } from '../parts/page.tsx';
import { PermissionsField } from '../parts/permissions-field.tsx';
import { Guarded } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';

type KeyRow = Result<'apiKeys', 'list'>['content'][number];

export function Keys() {
  const t = useT();
  const may = useMay();
  const [isMaking, setMaking] = useState(false);
  const [secret, setSecret] = useState<string>();
  const { filters } = useFilters<'name'>();
  const columns: Column<KeyRow>[] = [
    { title: t('keys.name'), show: (row) => <strong>{row.name}</strong>, text: (row) => row.name, sort: 'name' },
    {
      title: t('keys.status'),
      sort: 'status',
      show: (row) => <WordTag word={row.status} />,
      text: (row) => row.status,
    },
    {
      title: t('keys.environment'),
      show: (row) => t(row.environment === 'live' ? 'app.live' : 'app.test'),
      text: (row) => row.environment,
    },
    {
      title: t('keys.expires'),
      sort: 'expiringDtm',
      show: (row) => <Moment at={row.expiringDtm} />,
      text: (row) => row.expiringDtm,
    },
    {
      title: t('keys.lastIssued'),
      sort: 'lastIssuedAtDtm',
      show: (row) => <Moment at={row.lastIssuedAtDtm} />,
      text: (row) => row.lastIssuedAtDtm,
    },
    { title: t('keys.createdBy'), show: (row) => row.createdBy, text: (row) => row.createdBy },
  ];
  return (
    <Guarded group="apiKeys" name="list">
      <Page
        title={t('keys.title')}
        actions={may('apiKeys', 'create') && <Button onClick={() => setMaking(true)}>{t('keys.new')}</Button>}
      >
        <NameFilter />
        <List<KeyRow>
          group="apiKeys"
          name="list"
          query={{ name: filters.name }}
          label={t('keys.title')}
          columns={columns}
          keyOf={(row) => row.id ?? row.name}
          actionsOf={(row) => <KeyActions row={row} />}
        />
        <Dialog opened={isMaking} onClose={() => setMaking(false)} title={t('keys.new')}>
          <NewKey
            onMade={(code) => {
              setMaking(false);
              setSecret(code);
            }}
          />
        </Dialog>
        <OnceShown
          title={t('keys.secretTitle')}
          lead={t('keys.secretLead')}
          value={secret}
          onClose={() => setSecret(undefined)}
        />
      </Page>
    </Guarded>
  );
}

const DAY_MS = 86_400_000;

function NewKey({ onMade }: { onMade(code: string): void }) {
  const t = useT();
  const environment = useEnvironment();
  const [name, setName] = useState('');
  const [where, setWhere] = useState<string>(environment);
  const [permissions, setPermissions] = useState<string[]>([]);
  const [days, setDays] = useState('');
  const expiringDtm = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
  const make = useAct(
    () =>
      call('apiKeys', 'create', {
        body: { name, permissions, environment: where === 'test' ? 'test' : 'live', expiringDtm },
      }),
    ({ code }) => onMade(code),
  );
  return (
    <ActForm act={make} submitLabel={t('app.create')}>
      <NameField name={name} onName={setName} maxLength={255} />
      <SegmentedControl
        aria-label={t('keys.environment')}
        value={where}
        onChange={setWhere}
        data={[
          { value: 'live', label: t('app.live') },
          { value: 'test', label: t('app.test') },
        ]}
      />
      <PermissionsField permissions={permissions} onPermissions={setPermissions} />
      <NativeSelect
        label={t('keys.expires')}
        value={days}
        data={[
          { value: '', label: t('app.never') },
          ...['30', '90', '365'].map((value) => ({ value, label: t('usage.days', { n: Number(value) }) })),
        ]}
        onChange={(event) => setDays(event.currentTarget.value)}
      />
    </ActForm>
  );
}

function KeyActions({ row }: { row: KeyRow }) {
  const t = useT();
  const may = useMay();
  const params = { apiKeyId: row.id ?? '' };
  const isActive = row.status === 'ACTIVE';
  const change = useAct((status: KeyRow['status']) => call('apiKeys', 'update', { params, body: { status } }));
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {may('apiKeys', 'update') && (
        <>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => change.mutate(isActive ? 'BLOCKED' : 'ACTIVE')}
            loading={change.isPending}
          >
            {t(isActive ? 'keys.block' : 'keys.unblock')}
          </Button>
          {row.status !== 'ARCHIVED' && (
            <Button
              size="compact-xs"
              variant="default"
              disabled={change.isPending}
              onClick={() => change.mutate('ARCHIVED')}
            >
              {t('definitions.archive')}
            </Button>
          )}
        </>
      )}
      {may('apiKeys', 'delete') && (
        <DeleteButton
          name={row.name}
          title={t('keys.deleteTitle')}
          lead={t('keys.deleteLead')}
          remove={() => call('apiKeys', 'delete', { params })}
        />
      )}
    </Group>
  );
}
