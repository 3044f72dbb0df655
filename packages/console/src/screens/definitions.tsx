import { Button, FileButton, Group, Select } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ArgumentsOf, call, type Result } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useAct } from '../parts/act.ts';
import { Tag, WordTag } from '../parts/badges.tsx';
import { FilterChips, SearchField, useFilters } from '../parts/filters.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Guarded } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';

type DefinitionRow = Result<'processDefinitions', 'list'>['content'][number];
type Document = NonNullable<ArgumentsOf<'processDefinitions', 'create'>['body']>;

const STATUSES = {
  EDITABLE: 'definitions.EDITABLE',
  DEPLOYED_ACTIVE: 'definitions.DEPLOYED_ACTIVE',
  ARCHIVED: 'definitions.ARCHIVED',
} as const;

export function Definitions() {
  const t = useT();
  const may = useMay();
  const { filters, set } = useFilters<'name' | 'status'>();
  const { name, status } = filters;
  const columns = useColumns();
  return (
    <Guarded group="processDefinitions" name="list">
      <Page
        title={t('definitions.title')}
        actions={
          may('processDefinitions', 'create') && (
            <>
              <Import />
              <Button component={Link} to="/definitions/new">
                {t('definitions.new')}
              </Button>
            </>
          )
        }
      >
        <Group align="flex-end" gap="sm">
          <SearchField name="name" label={t('keys.name')} placeholder={t('stores.extIdHint')} />
          <Select
            label={t('keys.status')}
            placeholder={t('instances.all')}
            clearable
            value={status ?? null}
            data={Object.entries(STATUSES).map(([value, key]) => ({ value, label: t(key) }))}
            onChange={(value) => set({ status: value ?? undefined })}
          />
        </Group>
        <FilterChips
          active={[
            { name: 'name', label: t('keys.name'), value: name },
            { name: 'status', label: t('keys.status'), value: status },
          ]}
        />
        <List<DefinitionRow>
          group="processDefinitions"
          name="list"
          query={{ name, status }}
          label={t('definitions.title')}
          columns={columns}
          keyOf={({ id }) => id}
          linkOf={({ id }) => `/definitions/${id}`}
        />
      </Page>
    </Guarded>
  );
}

function useColumns(): Column<DefinitionRow>[] {
  const t = useT();
  return [
    {
      title: t('keys.name'),
      sort: 'name',
      show: (row) => `${row.name} v${row.version}`,
      text: (row) => `${row.name} v${row.version}`,
    },
    {
      title: t('keys.status'),
      sort: 'status',
      show: (row) => <WordTag word={row.status} />,
      text: (row) => row.status,
    },
    {
      title: t('definitions.tags'),
      show: ({ tags }) => (
        <Group gap={4}>
          {tags.map((tag) => (
            <Tag key={tag} tone="plain">
              {tag}
            </Tag>
          ))}
        </Group>
      ),
      text: ({ tags }) => tags.join(' '),
    },
    {
      title: t('keys.environment'),
      show: (row) => t(row.environment === 'live' ? 'app.live' : 'app.test'),
      text: (row) => row.environment,
    },
    {
      title: t('definitions.deployed'),
      sort: 'deployedDtm',
      show: (row) => <Moment at={row.deployedDtm} />,
      text: (row) => row.deployedDtm,
    },
    {
      title: t('definitions.retentionDays'),
      show: (row) => row.retentionDays,
      text: (row) => String(row.retentionDays),
    },
    { title: t('keys.createdBy'), show: (row) => row.createdBy, text: (row) => row.createdBy },
  ];
}

/** An exported document becomes the next version of its name. */
function Import() {
  const t = useT();
  const navigate = useNavigate();
  const importFile = useAct(
    async (file: File) => call('processDefinitions', 'create', { body: documentIn(await file.text(), t) }),
    ({ id }) => navigate({ to: `/definitions/${id}` }),
  );
  return (
    <FileButton accept="application/json" onChange={(file) => file && importFile.mutate(file)}>
      {(props) => (
        <Button variant="default" loading={importFile.isPending} {...props}>
          {t('definitions.import')}
        </Button>
      )}
    </FileButton>
  );
}

function documentIn(text: string, t: ReturnType<typeof useT>): Document {
  try {
    return JSON.parse(text) as Document;
  } catch {
    throw new Error(t('definitions.notJson'));
  }
}
