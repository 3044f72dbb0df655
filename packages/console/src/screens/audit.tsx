import { Code, Group, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Result } from '../api/client.ts';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Guarded } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';

type AuditRow = Result<'auditEvents', 'list'>['content'][number];
type Filters = { action?: string; processInstanceId?: string; operatorId?: string };

export function Audit() {
  const t = useT();
  const navigate = useNavigate();
  const { action, processInstanceId, operatorId } = useSearch({ strict: false }) as Filters;
  const filters: Filters = { action, processInstanceId, operatorId };
  const columns: Column<AuditRow>[] = [
    { title: t('audit.when'), show: (row) => <Moment at={row.dateTime} />, text: (row) => row.dateTime },
    { title: t('audit.who'), show: (row) => <bdi>{row.actor}</bdi>, text: (row) => row.actor },
    { title: t('audit.what'), show: (row) => row.action, text: (row) => row.action },
    {
      title: t('audit.item'),
      show: (row) => <span className="wrap">{row.item ?? row.processInstanceId ?? '–'}</span>,
      text: (row) => row.item ?? row.processInstanceId,
    },
    {
      title: t('audit.details'),
      show: ({ details }) => (details?.values ? <Code className="wrap">{JSON.stringify(details.values)}</Code> : '–'),
      text: ({ details }) => (details ? JSON.stringify(details) : ''),
    },
  ];
  const field = (name: keyof Filters, label: string) => (
    <TextInput
      key={name}
      label={label}
      defaultValue={filters[name] ?? ''}
      onBlur={(event) => {
        const value = event.currentTarget.value.trim() || undefined;
        if (value !== filters[name]) {
          navigate({ to: '/audit', search: { ...filters, [name]: value, page: undefined } as never });
        }
      }}
      onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
    />
  );
  return (
    <Guarded group="auditEvents" name="list">
      <Page title={t('audit.title')}>
        <Group align="flex-end" gap="sm">
          {field('action', t('audit.what'))}
          {field('processInstanceId', t('audit.instanceId'))}
          {field('operatorId', t('audit.operatorId'))}
        </Group>
        <List<AuditRow>
          group="auditEvents"
          name="list"
          label={t('audit.title')}
          query={filters as Record<string, string | undefined>}
          columns={columns}
          keyOf={({ id }) => id}
        />
      </Page>
    </Guarded>
  );
}
