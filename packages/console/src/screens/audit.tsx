import { auditActions } from 'virtual:grove-actions';
import { Anchor, Code, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { call, type Result } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { dayStart } from '../parts/day-start.ts';
import { DayFields, FilterChips, SearchField, useFilters } from '../parts/filters.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { SavedViews } from '../parts/saved-views.tsx';
import { Guarded } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';

type AuditRow = Result<'auditEvents', 'list'>['content'][number];
type Filter = 'action' | 'processInstanceId' | 'operatorId' | 'apiKeyId' | 'from' | 'to';

const MAX_PEOPLE = 200;

/** The people and keys to filter by: their names are shown, and the address holds the id. */
function usePeople() {
  const may = useMay();
  const people = useQuery({
    queryKey: ['people'],
    queryFn: () => call('operators', 'list', { query: { size: MAX_PEOPLE, sort: ['name,asc'] } }),
    enabled: may('operators', 'list'),
  });
  const keys = useQuery({
    queryKey: ['all-keys'],
    queryFn: () => call('apiKeys', 'list', { query: { size: MAX_PEOPLE, sort: ['name,asc'] } }),
    enabled: may('apiKeys', 'list'),
  });
  return {
    people: (people.data?.content ?? []).map(({ id, name }) => ({ value: id, label: name })),
    keys: (keys.data?.content ?? []).flatMap(({ id, name }) => (id ? [{ value: id, label: name }] : [])),
  };
}

export function Audit() {
  const t = useT();
  const { filters, set } = useFilters<Filter>();
  const { action, processInstanceId, operatorId, apiKeyId, from, to } = filters;
  const { people, keys } = usePeople();
  const nameIn = (all: readonly { value: string; label: string }[], id: string | undefined) =>
    all.find(({ value }) => value === id)?.label ?? id;
  const query = {
    processInstanceId,
    operatorId,
    apiKeyId,
    action,
    startDateTime: dayStart(from, 0),
    endDateTime: dayStart(to, 1),
  };
  return (
    <Guarded group="auditEvents" name="list">
      <Page title={t('audit.title')}>
        <Group align="flex-end" gap="sm">
          <Select
            label={t('audit.what')}
            data={auditActions}
            value={action && auditActions.includes(action) ? action : null}
            onChange={(value) => set({ action: value ?? undefined })}
            searchable
            clearable
          />
          <SearchField name="processInstanceId" label={t('audit.instanceId')} />
          <Select
            label={t('audit.person')}
            data={people}
            value={operatorId ?? null}
            onChange={(id) => set({ operatorId: id ?? undefined })}
            searchable
            clearable
          />
          <Select
            label={t('audit.key')}
            data={keys}
            value={apiKeyId ?? null}
            onChange={(id) => set({ apiKeyId: id ?? undefined })}
            searchable
            clearable
          />
          <DayFields />
        </Group>
        <FilterChips
          active={[
            { name: 'action', label: t('audit.what'), value: action },
            { name: 'processInstanceId', label: t('audit.instanceId'), value: processInstanceId },
            { name: 'operatorId', label: t('audit.person'), value: nameIn(people, operatorId) },
            { name: 'apiKeyId', label: t('audit.key'), value: nameIn(keys, apiKeyId) },
            { name: 'from', label: t('list.from'), value: from },
            { name: 'to', label: t('list.to'), value: to },
          ]}
        />
        <SavedViews screen="audit" />
        <List<AuditRow>
          group="auditEvents"
          name="list"
          label={t('audit.title')}
          query={query}
          columns={useColumns()}
          keyOf={({ id }) => id}
        />
      </Page>
    </Guarded>
  );
}

/** Shows what was changed: each value before and after unless it is secret, or else the fields of the request. */
function Details({ details }: Pick<AuditRow, 'details'>) {
  const t = useT();
  const { fields = [], values, changes } = details ?? {};
  if (changes) return <Changes changes={changes} fields={fields} />;
  if (fields.length === 0 && !values) return '–';
  const others = fields.filter((field) => !(values && field in values));
  return (
    <Stack gap={4}>
      {others.length > 0 && <span className="wrap">{t('audit.changed', { fields: others.join(', ') })}</span>}
      {Object.entries(values ?? {}).map(([name, value]) => (
        <Code key={name} className="wrap">
          {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
        </Code>
      ))}
    </Stack>
  );
}

type ChangesProps = { changes: NonNullable<NonNullable<AuditRow['details']>['changes']>; fields: readonly string[] };

/** The server lists at most this number. */
const MAX_CHANGES = 50;

function Changes({ changes, fields }: ChangesProps) {
  const t = useT();
  const listed = new Set(changes.map(({ path }) => path.split('/')[0]));
  // The document of a definition is the whole request.
  const others = listed.has('document') ? [] : fields.filter((field) => !listed.has(field));
  return (
    <Stack gap={4}>
      <div className="diff changes" dir="ltr">
        {changes.map(({ path, before, after }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a path may be listed twice, and the list never changes.
          <Fragment key={at}>
            {path !== changes[at - 1]?.path && <div>{path}</div>}
            {before !== undefined && <div className="tone-bad">- {before}</div>}
            {after !== undefined && <div className="tone-good">+ {after}</div>}
          </Fragment>
        ))}
      </div>
      {changes.length >= MAX_CHANGES && <Text size="xs">{t('audit.cut')}</Text>}
      {others.length > 0 && (
        <Text size="xs" c="dimmed" className="wrap">
          {t('audit.sent', { fields: others.join(', ') })}
        </Text>
      )}
    </Stack>
  );
}

/** An action that a narrow column breaks only at its full stop. */
function Action({ action }: Pick<AuditRow, 'action'>) {
  const [subject, ...verb] = action.split('.');
  return (
    <Text size="sm">
      <span className="nowrap">{subject}.</span>
      <wbr />
      <span className="nowrap">{verb.join('.')}</span>
    </Text>
  );
}

/** Shows the verification and the part of it, or else the name beside the id, if the event has one. */
function Item({ row: { item, processInstanceId, details } }: { row: AuditRow }) {
  const may = useMay();
  const id = item ?? (processInstanceId ? '' : '–');
  const name = details?.name && `${details.name}${details.version === undefined ? '' : ` v${details.version}`}`;
  return (
    <>
      {name && name !== id && <bdi>{name} </bdi>}
      <Text size={name && name !== id ? 'xs' : 'sm'} {...(name && name !== id && { c: 'dimmed' })} className="wrap">
        {id}
      </Text>
      {processInstanceId && may('processInstances', 'get') ? (
        <Anchor component={Link} to={`/instances/${processInstanceId}`} size="xs" className="wrap">
          {processInstanceId}
        </Anchor>
      ) : (
        <Text size="xs" className="wrap">
          {processInstanceId}
        </Text>
      )}
    </>
  );
}

function useColumns(): Column<AuditRow>[] {
  const t = useT();
  return [
    {
      title: t('audit.when'),
      sort: 'dateTime',
      show: (row) => <Moment at={row.dateTime} />,
      text: (row) => row.dateTime,
    },
    { title: t('audit.who'), show: (row) => <bdi>{row.actor}</bdi>, text: (row) => row.actor },
    { title: t('audit.what'), show: ({ action }) => <Action action={action} />, text: ({ action }) => action },
    {
      title: t('audit.item'),
      show: (row) => <Item row={row} />,
      text: ({ item, processInstanceId }) => [item, processInstanceId].filter(Boolean).join(' '),
    },
    {
      title: t('audit.details'),
      show: ({ details }) => <Details details={details} />,
      text: ({ details }) => (details ? JSON.stringify(details) : ''),
    },
    {
      title: t('audit.where'),
      show: (row) => <span className="nowrap">{row.address ?? '–'}</span>,
      text: (row) => row.address,
    },
    {
      title: t('audit.request'),
      show: (row) => (
        <Text size="xs" c="dimmed" className="wrap">
          {row.requestId ?? '–'}
        </Text>
      ),
      text: (row) => row.requestId,
    },
  ];
}
