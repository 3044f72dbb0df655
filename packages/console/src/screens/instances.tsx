import { Button, Group, MultiSelect, Select } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { say, useAct } from '../parts/act.ts';
import { StatusTag, Tag } from '../parts/badges.tsx';
import type { UserData } from '../parts/case-data.tsx';
import { dayStart } from '../parts/day-start.ts';
import { ConfirmByTyping } from '../parts/dialogs.tsx';
import { DayFields, FilterChips, SearchField, useFilters } from '../parts/filters.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { readNameOf } from '../parts/read-values.ts';
import { RedactSelected } from '../parts/redact-instance.tsx';
import { SavedViews } from '../parts/saved-views.tsx';
import { StartExport } from '../parts/start-export.tsx';
import { Guarded } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';

export type InstanceRow = Result<'processInstances', 'search'>['content'][number];

export const STATUSES = {
  PENDING: 'status.Pending',
  ACTIVE: 'status.In Progress',
  PAUSED: 'status.Paused',
  REVIEW: 'status.Review',
  COMPLETED_ENDED_SUCCESS: 'status.Accepted',
  COMPLETED_ENDED_ERROR: 'status.Declined',
  COMPLETED_PROCESS_ERROR: 'status.Error',
  COMPLETED_TERMINATED: 'status.Abandoned',
} as const;

export function nameOf({ firstName, lastName }: { firstName?: string; lastName?: string }): string {
  return [firstName, lastName].filter(Boolean).join(' ');
}

/** The given name, or else that of the document if its data is loaded, or else a text that says why there is none. */
export function titleOf(
  t: ReturnType<typeof useT>,
  instance: { firstName?: string; lastName?: string; redactedDtm?: string },
  data?: UserData,
): string {
  return nameOf(instance) || readNameOf(data) || t(instance.redactedDtm ? 'redact.person' : 'instances.noName');
}

type Filter = 'q' | 'status' | 'definition' | 'from' | 'to';
/** The columns that are shown by default. */
const FIRST_COLUMNS = ['status', 'definition', 'created', 'expires'];

export function Instances() {
  const t = useT();
  const { filters, set } = useFilters<Filter>();
  const { q, status, definition, from, to } = filters;
  const columns = useColumns();
  const [chosenColumns, setColumns] = useLocalStorage({ key: 'grove-columns', defaultValue: FIRST_COLUMNS });
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set());
  const query = {
    searchString: q?.trim() || undefined,
    processInstanceStatus: status,
    processDefinitionName: definition,
    startDateTime: dayStart(from, 0),
    endDateTime: dayStart(to, 1),
  };
  const statusText = status && status in STATUSES ? t(STATUSES[status as keyof typeof STATUSES]) : status;
  return (
    <Guarded group="processInstances" name="search">
      <Page
        title={t('instances.title')}
        actions={
          <>
            <RedactSelected ids={selectedIds} onDone={() => setSelectedIds(new Set())} />
            <DeleteSelected ids={selectedIds} onDone={() => setSelectedIds(new Set())} />
            <StartExport filters={query as never} />
          </>
        }
      >
        <Group align="flex-end" gap="sm">
          <SearchField name="q" label={t('app.search')} placeholder={t('instances.search')} />
          <Select
            label={t('instances.status')}
            placeholder={t('instances.all')}
            clearable
            value={status ?? null}
            data={Object.entries(STATUSES).map(([value, key]) => ({ value, label: t(key) }))}
            onChange={(value) => set({ status: value ?? undefined })}
          />
          <SearchField name="definition" label={t('instances.definition')} placeholder={t('stores.extIdHint')} />
          <DayFields />
          <MultiSelect
            label={t('list.columns')}
            data={columns.slice(1).map(({ name, title }) => ({ value: name, label: title }))}
            value={chosenColumns}
            onChange={setColumns}
          />
        </Group>
        <FilterChips
          active={[
            { name: 'q', label: t('app.search'), value: q },
            { name: 'status', label: t('instances.status'), value: statusText },
            { name: 'definition', label: t('instances.definition'), value: definition },
            { name: 'from', label: t('list.from'), value: from },
            { name: 'to', label: t('list.to'), value: to },
          ]}
        />
        <SavedViews screen="instances" />
        <List<InstanceRow>
          group="processInstances"
          name="search"
          label={t('instances.title')}
          query={query}
          columns={columns.filter(({ name }, at) => at === 0 || chosenColumns.includes(name))}
          keyOf={({ id }) => id}
          linkOf={({ id }) => `/instances/${id}`}
          selection={{ selectedKeys: selectedIds, onSelectedKeys: setSelectedIds }}
        />
      </Page>
    </Guarded>
  );
}

function useColumns(): (Column<InstanceRow> & { name: string })[] {
  const t = useT();
  const text = (name: 'email' | 'phoneNumber' | 'externalReference' | 'id') => ({
    name,
    title: t(`instances.${name}`),
    show: (row: InstanceRow) => <bdi>{row[name] ?? '–'}</bdi>,
    text: (row: InstanceRow) => row[name],
  });
  return [
    { name: 'person', title: t('instances.person'), show: (row) => titleOf(t, row), text: nameOf },
    {
      name: 'status',
      title: t('instances.status'),
      show: ({ statusMapped }) => <StatusTag status={statusMapped} />,
      text: (row) => row.statusMapped,
    },
    {
      name: 'definition',
      title: t('instances.definition'),
      show: ({ processDefnName, processDefnVersion }) => `${processDefnName} v${processDefnVersion}`,
      text: (row) => row.processDefnName,
    },
    {
      name: 'created',
      title: t('instances.created'),
      sort: 'createdAt',
      show: (row) => <Moment at={row.createdAt} />,
      text: (row) => row.createdAt,
    },
    {
      name: 'expires',
      title: t('instances.expires'),
      show: (row) => (
        <>
          <Moment at={row.expiringDtm} /> {row.scheduledExpiry && <Tag tone="wait">{t('instances.scheduled')}</Tag>}
        </>
      ),
      text: (row) => row.expiringDtm,
    },
    text('email'),
    text('phoneNumber'),
    text('externalReference'),
    text('id'),
  ];
}

function DeleteSelected({ ids, onDone }: { ids: ReadonlySet<string>; onDone(): void }) {
  const t = useT();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const remove = useAct(
    async () => {
      for (const processInstanceId of ids) await call('processInstances', 'delete', { params: { processInstanceId } });
    },
    () => {
      setOpen(false);
      say(t('instances.deleted', { n: ids.size }));
      onDone();
    },
  );
  if (ids.size === 0 || !may('processInstances', 'delete')) return null;
  return (
    <>
      <Button color="red.9" onClick={() => setOpen(true)}>
        {t('instances.deleteChosen', { n: ids.size })}
      </Button>
      <ConfirmByTyping
        title={t('instances.deleteChosen', { n: ids.size })}
        lead={t('instance.deleteLead')}
        expected={String(ids.size)}
        opened={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={() => remove.mutate(undefined)}
        isBusy={remove.isPending}
      />
    </>
  );
}
