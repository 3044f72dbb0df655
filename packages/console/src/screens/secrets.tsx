import { Button, Group, PasswordInput, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useMay, useSession } from '../api/session.tsx';
import { ActForm } from '../parts/act-form.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Dialog } from '../parts/dialogs.tsx';
import { NameFilter, useFilters } from '../parts/filters.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { reviewerName } from '../parts/reviewer-name.ts';
import { useSafeSave } from '../parts/safe-save.tsx';
import { Guarded } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';

type SecretRow = Result<'cloudSecrets', 'list'>['content'][number];

/** Secrets that steps and webhooks send. A value can be written but never read. */
export function Secrets() {
  const t = useT();
  const may = useMay();
  const { filters } = useFilters<'name'>();
  const [isMaking, setMaking] = useState(false);
  const columns: Column<SecretRow>[] = [
    { title: t('keys.name'), sort: 'name', show: (row) => <strong>{row.name}</strong>, text: (row) => row.name },
    { title: t('secrets.hosts'), show: ({ hosts }) => hosts.join(', ') || '–', text: ({ hosts }) => hosts.join(' ') },
    {
      title: t('secrets.changed'),
      sort: 'lastUpdatedDtm',
      show: (row) => <Moment at={row.lastUpdatedDtm} />,
      text: (row) => row.lastUpdatedDtm,
    },
    {
      title: t('userKeys.lastUsed'),
      show: (row) => <Moment at={row.lastUsedDtm} />,
      text: (row) => row.lastUsedDtm,
    },
    { title: t('keys.createdBy'), show: (row) => row.createdBy ?? '–', text: (row) => row.createdBy },
  ];
  return (
    <Guarded group="cloudSecrets" name="list">
      <Page
        title={t('secrets.title')}
        actions={may('cloudSecrets', 'create') && <Button onClick={() => setMaking(true)}>{t('secrets.new')}</Button>}
      >
        <NameFilter />
        <List<SecretRow>
          group="cloudSecrets"
          name="list"
          query={{ name: filters.name }}
          label={t('secrets.title')}
          columns={columns}
          keyOf={({ id }) => id}
          actionsOf={(row) => <SecretActions row={row} />}
        />
        <Dialog opened={isMaking} onClose={() => setMaking(false)} title={t('secrets.new')}>
          <SecretForm onDone={() => setMaking(false)} />
        </Dialog>
      </Page>
    </Guarded>
  );
}

/** Creates a secret, or replaces its value. */
function SecretForm({ of, onDone }: { of?: SecretRow; onDone(): void }) {
  const t = useT();
  const [name, setName] = useState(of?.name ?? '');
  const [value, setValue] = useState('');
  const [hosts, setHosts] = useState(of?.hosts ?? []);
  const { operator } = useSession();
  const [base] = useState(of);
  const { act: store, conflict } = useSafeSave<unknown>({
    save(isSure) {
      if (!base) return call('cloudSecrets', 'create', { body: { name, value, hosts } });
      const query = isSure ? {} : { ifLastUpdatedDtm: base.lastUpdatedDtm };
      return call('cloudSecrets', 'update', { params: { cloudSecretId: base.id }, query, body: { value, hosts } });
    },
    // A value is never read, so the difference shows only whose value it would be.
    async fetchTheirs() {
      const { content } = await call('cloudSecrets', 'list', { query: { name: base?.name, size: 200 } });
      const newer = content.find(({ id }) => id === base?.id);
      return { hosts: newer?.hosts, valueOf: newer?.lastUpdatedBy };
    },
    mine: { hosts, valueOf: reviewerName(operator) },
    onSaved: onDone,
    onTheirs: onDone,
  });
  return (
    <ActForm act={store} submitLabel={t('app.save')}>
      <TextInput
        label={t('keys.name')}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        readOnly={of !== undefined}
        required
      />
      <PasswordInput
        label={t('secrets.value')}
        description={t('secrets.valueHint')}
        value={value}
        onChange={(event) => setValue(event.currentTarget.value)}
        maxLength={10_000}
        autoComplete="off"
        required
        data-autofocus={of !== undefined || undefined}
      />
      <TagsInput label={t('secrets.hosts')} description={t('secrets.hostsHint')} value={hosts} onChange={setHosts} />
      {conflict}
    </ActForm>
  );
}

function SecretActions({ row }: { row: SecretRow }) {
  const t = useT();
  const may = useMay();
  const [isRotating, setRotating] = useState(false);
  const close = () => setRotating(false);
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {may('cloudSecrets', 'update') && (
        <Button size="compact-xs" variant="default" onClick={() => setRotating(true)}>
          {t('secrets.rotate')}
        </Button>
      )}
      {may('cloudSecrets', 'delete') && (
        <DeleteButton
          name={row.name}
          lead={t('secrets.deleteLead')}
          remove={() => call('cloudSecrets', 'delete', { params: { cloudSecretId: row.id } })}
        />
      )}
      <Dialog opened={isRotating} onClose={close} title={t('secrets.rotate')}>
        <SecretForm of={row} onDone={close} />
      </Dialog>
    </Group>
  );
}
