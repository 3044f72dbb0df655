import { Group, Select, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Result } from '../api/client.ts';
import { StatusTag } from '../parts/badges.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Guarded } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';

export type InstanceRow = Result<'processInstances', 'search'>['content'][number];

const STATUSES = {
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

export function Instances() {
  const t = useT();
  const navigate = useNavigate();
  const { q = '', status } = useSearch({ strict: false }) as { q?: string; status?: string };
  const [words, setWords] = useState(q);
  const filter = (next: object) => navigate({ to: '/instances', search: { q, status, ...next } as never });
  const columns: Column<InstanceRow>[] = [
    { title: t('instances.person'), show: (row) => nameOf(row) || t('instances.noName'), text: nameOf },
    {
      title: t('instances.status'),
      show: ({ statusMapped }) => <StatusTag status={statusMapped} />,
      text: (row) => row.statusMapped,
    },
    {
      title: t('instances.definition'),
      show: ({ processDefnName, processDefnVersion }) => `${processDefnName} v${processDefnVersion}`,
      text: (row) => row.processDefnName,
    },
    { title: t('instances.created'), show: (row) => <Moment at={row.createdAt} />, text: (row) => row.createdAt },
    { title: t('instances.expires'), show: (row) => <Moment at={row.expiringDtm} />, text: (row) => row.expiringDtm },
  ];
  return (
    <Guarded group="processInstances" name="search">
      <Page title={t('instances.title')}>
        <Group align="flex-end" gap="sm">
          <form
            className="grow"
            onSubmit={(event) => {
              event.preventDefault();
              filter({ q: words || undefined, page: undefined });
            }}
          >
            <TextInput
              type="search"
              label={t('app.search')}
              placeholder={t('instances.search')}
              value={words}
              onChange={(event) => setWords(event.currentTarget.value)}
              onBlur={() => words !== q && filter({ q: words || undefined, page: undefined })}
            />
          </form>
          <Select
            label={t('instances.status')}
            placeholder={t('instances.all')}
            clearable
            value={status ?? null}
            data={Object.entries(STATUSES).map(([value, key]) => ({ value, label: t(key) }))}
            onChange={(value) => filter({ status: value ?? undefined, page: undefined })}
          />
        </Group>
        <List<InstanceRow>
          group="processInstances"
          name="search"
          label={t('instances.title')}
          query={{ searchString: q || undefined, processInstanceStatus: status }}
          columns={columns}
          keyOf={({ id }) => id}
          linkOf={({ id }) => `/instances/${id}`}
        />
      </Page>
    </Guarded>
  );
}
