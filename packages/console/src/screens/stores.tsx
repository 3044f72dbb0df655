import { Button, JsonInput } from '@mantine/core';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { ActForm } from '../parts/act-form.tsx';
import { WordTag } from '../parts/badges.tsx';
import { DescriptionField } from '../parts/description-field.tsx';
import { Dialog } from '../parts/dialogs.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { NameField } from '../parts/name-field.tsx';
import { Page } from '../parts/page.tsx';
import { useSafeSave } from '../parts/safe-save.tsx';
import { Guarded } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';

type StoreRow = Result<'stores', 'list'>['content'][number];

/** Identity stores, which hold users with their keys and faces. */
export function Stores() {
  const t = useT();
  const may = useMay();
  const [isMaking, setMaking] = useState(false);
  const columns: Column<StoreRow>[] = [
    { title: t('keys.name'), sort: 'name', show: ({ name }) => name, text: ({ name }) => name },
    { title: t('roles.description'), show: ({ description }) => description ?? '–', text: (row) => row.description },
    { title: t('keys.status'), show: ({ status }) => <WordTag word={status} />, text: ({ status }) => status },
    {
      title: t('secrets.changed'),
      sort: 'lastUpdatedDtm',
      show: ({ lastUpdatedDtm }) => <Moment at={lastUpdatedDtm} />,
      text: ({ lastUpdatedDtm }) => lastUpdatedDtm,
    },
  ];
  return (
    <Guarded group="stores" name="list">
      <Page
        title={t('stores.title')}
        actions={may('stores', 'create') && <Button onClick={() => setMaking(true)}>{t('stores.new')}</Button>}
      >
        <List<StoreRow>
          group="stores"
          name="list"
          label={t('stores.title')}
          columns={columns}
          keyOf={({ id }) => id}
          linkOf={({ name }) => `/stores/${encodeURIComponent(name)}`}
        />
        <Dialog opened={isMaking} onClose={() => setMaking(false)} title={t('stores.new')}>
          <StoreForm onDone={() => setMaking(false)} />
        </Dialog>
      </Page>
    </Guarded>
  );
}

/** Creates or changes a store. The server reports faults of the configuration with their position. */
export function StoreForm({ of, onDone }: { of?: StoreRow; onDone(): void }) {
  const t = useT();
  const [name, setName] = useState(of?.name ?? '');
  const [description, setDescription] = useState(of?.description ?? '');
  const [text, setText] = useState(JSON.stringify(of?.configuration ?? {}, null, 2));
  const [base] = useState(of);
  const { act: store, conflict } = useSafeSave<unknown>({
    async save(isSure) {
      const configuration = JSON.parse(text) as StoreRow['configuration'];
      if (!base) return call('stores', 'create', { body: { name, description, configuration } });
      const query = isSure ? {} : { ifLastUpdatedDtm: base.lastUpdatedDtm };
      const body = { description, configuration };
      return call('stores', 'update', { params: { storeName: base.name }, query, body });
    },
    async fetchTheirs() {
      const newer = await call('stores', 'get', { params: { storeName: name } });
      return { description: newer.description ?? '', configuration: newer.configuration };
    },
    mine: { description, configuration: objectOf(text) },
    onSaved: onDone,
    onTheirs: onDone,
  });
  return (
    <ActForm act={store} submitLabel={t('app.save')}>
      {!of && <NameField name={name} onName={setName} maxLength={50} />}
      <DescriptionField description={description} onDescription={setDescription} />
      <JsonInput
        label={t('stores.configuration')}
        description={t('stores.configurationHint')}
        value={text}
        onChange={setText}
        autosize
        minRows={6}
        maxRows={24}
        className="code"
      />
      {conflict}
    </ActForm>
  );
}

/** An empty object while the typed text is no valid JSON. */
export function objectOf(text: string): object {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return { text };
  }
}
