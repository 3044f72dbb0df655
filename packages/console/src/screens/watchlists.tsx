import { Button, NativeSelect, Textarea } from '@mantine/core';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useAct } from '../parts/act.ts';
import { ActForm } from '../parts/act-form.tsx';
import { WordTag } from '../parts/badges.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Dialog } from '../parts/dialogs.tsx';
import { NameFilter, useFilters } from '../parts/filters.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { NameField } from '../parts/name-field.tsx';
import { Page } from '../parts/page.tsx';
import { Guarded } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';

type WatchlistRow = Result<'watchlists', 'list'>['content'][number];
const TYPES = ['FACE', 'DOCUMENT_NUMBER', 'EMAIL'] as const;
type Type = (typeof TYPES)[number];

/** The watchlists of the tenant. */
export function Watchlists() {
  const t = useT();
  const may = useMay();
  const { filters } = useFilters<'name'>();
  const [isMaking, setMaking] = useState(false);
  const columns: Column<WatchlistRow>[] = [
    { title: t('keys.name'), sort: 'name', show: ({ name }) => name, text: ({ name }) => name },
    { title: t('watchlists.type'), show: ({ type }) => t(`watchlists.${type}`), text: ({ type }) => type },
    { title: t('keys.status'), show: ({ status }) => <WordTag word={status} />, text: ({ status }) => status },
    {
      title: t('watchlists.members'),
      sort: 'numMembers',
      show: ({ numMembers, maxSize }) => `${numMembers} / ${maxSize}`,
      text: ({ numMembers }) => String(numMembers),
    },
    {
      title: t('secrets.changed'),
      sort: 'lastUpdatedDtm',
      show: ({ lastUpdatedDtm }) => <Moment at={lastUpdatedDtm} />,
      text: ({ lastUpdatedDtm }) => lastUpdatedDtm,
    },
  ];
  return (
    <Guarded group="watchlists" name="list">
      <Page
        title={t('watchlists.title')}
        actions={may('watchlists', 'create') && <Button onClick={() => setMaking(true)}>{t('watchlists.new')}</Button>}
      >
        <NameFilter />
        <List<WatchlistRow>
          group="watchlists"
          name="list"
          query={{ name: filters.name }}
          label={t('watchlists.title')}
          columns={columns}
          keyOf={({ id }) => id}
          linkOf={({ id }) => `/watchlists/${id}`}
          actionsOf={({ id, name }) =>
            may('watchlists', 'delete') && (
              <DeleteButton
                name={name}
                lead={t('watchlists.deleteLead')}
                remove={() => call('watchlists', 'delete', { params: { watchlistId: id } })}
              />
            )
          }
        />
        <Dialog opened={isMaking} onClose={() => setMaking(false)} title={t('watchlists.new')}>
          <NewList onDone={() => setMaking(false)} />
        </Dialog>
      </Page>
    </Guarded>
  );
}

function NewList({ onDone }: { onDone(): void }) {
  const t = useT();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [type, setType] = useState<Type>('FACE');
  const make = useAct(
    () => call('watchlists', 'create', { body: { name, type, ...(description && { description }) } }),
    onDone,
  );
  return (
    <ActForm act={make} submitLabel={t('app.create')}>
      <NameField name={name} onName={setName} maxLength={100} />
      <NativeSelect
        label={t('watchlists.type')}
        value={type}
        data={TYPES.map((value) => ({ value, label: t(`watchlists.${value}`) }))}
        onChange={(event) => setType(event.currentTarget.value as Type)}
      />
      <Textarea
        label={t('roles.description')}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        maxLength={255}
      />
    </ActForm>
  );
}
