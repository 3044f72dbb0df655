import { Button, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { ActForm } from '../parts/act-form.tsx';
import { WordTag } from '../parts/badges.tsx';
import { Dialog, OnceShown } from '../parts/dialogs.tsx';
import { NameFilter, useFilters } from '../parts/filters.tsx';
import { type Column, List } from '../parts/list.tsx';
import { NameField } from '../parts/name-field.tsx';
import { Page } from '../parts/page.tsx';
import { useSafeSave } from '../parts/safe-save.tsx';
import { Guarded } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';

type WebhookRow = Result<'webhooks', 'list'>['content'][number];

export function Webhooks() {
  const t = useT();
  const may = useMay();
  const { filters } = useFilters<'name'>();
  const [isMaking, setMaking] = useState(false);
  const [secret, setSecret] = useState<string>();
  const columns: Column<WebhookRow>[] = [
    { title: t('keys.name'), sort: 'name', show: (row) => row.name, text: (row) => row.name },
    {
      title: t('keys.status'),
      sort: 'status',
      show: (row) => <WordTag word={row.status} />,
      text: (row) => row.status,
    },
    { title: t('webhooks.address'), show: (row) => <span className="wrap">{row.uri}</span>, text: (row) => row.uri },
    {
      title: t('webhooks.events'),
      show: (row) => row.events.slice(0, 3).join(', ') + (row.events.length > 3 ? ' …' : ''),
      text: (row) => row.events.join(' '),
    },
  ];
  return (
    <Guarded group="webhooks" name="list">
      <Page
        title={t('webhooks.title')}
        actions={may('webhooks', 'create') && <Button onClick={() => setMaking(true)}>{t('webhooks.new')}</Button>}
      >
        <NameFilter />
        <List<WebhookRow>
          group="webhooks"
          name="list"
          query={{ name: filters.name }}
          label={t('webhooks.title')}
          columns={columns}
          keyOf={({ id }) => id}
          linkOf={({ id }) => `/webhooks/${id}`}
        />
        <Dialog opened={isMaking} onClose={() => setMaking(false)} title={t('webhooks.new')}>
          <WebhookForm
            onMade={(newSecret) => {
              setMaking(false);
              setSecret(newSecret);
            }}
          />
        </Dialog>
        <OnceShown
          title={t('webhooks.secretTitle')}
          lead={t('webhooks.secretLead')}
          value={secret}
          onClose={() => setSecret(undefined)}
        />
      </Page>
    </Guarded>
  );
}

const COMMON = ['*', 'instance.completed', 'instance.created', 'instance.askedAgain', 'instance.deleted'];

type WebhookFormProps = { of?: WebhookRow; onMade(secret: string | undefined): void };

/** Creates or changes a webhook. */
export function WebhookForm({ of, onMade }: WebhookFormProps) {
  const t = useT();
  const [name, setName] = useState(of?.name ?? '');
  const [uri, setUri] = useState(of?.uri ?? 'https://');
  const [events, setEvents] = useState(of?.events ?? ['instance.completed']);
  const [base] = useState(of);
  const body = { name, uri, events };
  const { act: make, conflict } = useSafeSave<string | undefined>({
    async save(isSure) {
      if (!base) return (await call('webhooks', 'create', { body })).secret;
      const query = isSure ? {} : { ifLastUpdatedDtm: base.lastUpdatedDtm };
      await call('webhooks', 'update', { params: { webhookId: base.id }, query, body });
      return undefined;
    },
    async fetchTheirs() {
      const newer = await call('webhooks', 'get', { params: { webhookId: base?.id ?? '' } });
      return { name: newer.name, uri: newer.uri, events: newer.events };
    },
    mine: body,
    onSaved: onMade,
    onTheirs: () => onMade(undefined),
  });
  return (
    <ActForm act={make} submitLabel={t(of ? 'app.save' : 'app.create')}>
      <NameField name={name} onName={setName} maxLength={100} />
      <TextInput
        label={t('webhooks.address')}
        type="url"
        value={uri}
        onChange={(event) => setUri(event.currentTarget.value)}
        maxLength={500}
        required
      />
      <TagsInput
        label={t('webhooks.events')}
        description={t('webhooks.eventsHint')}
        data={COMMON}
        value={events}
        onChange={setEvents}
      />
      {conflict}
    </ActForm>
  );
}
