import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Result } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { WordTag } from '../parts/badges.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Guarded } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';

type DefinitionRow = Result<'processDefinitions', 'list'>['content'][number];

export function Definitions() {
  const t = useT();
  const may = useMay();
  const columns: Column<DefinitionRow>[] = [
    {
      title: t('keys.name'),
      show: ({ name, version }) => `${name} v${version}`,
      text: ({ name, version }) => `${name} v${version}`,
    },
    { title: t('keys.status'), show: (row) => <WordTag word={row.status} />, text: (row) => row.status },
    {
      title: t('keys.environment'),
      show: (row) => t(row.environment === 'live' ? 'app.live' : 'app.test'),
      text: (row) => row.environment,
    },
    {
      title: t('definitions.deployed'),
      show: (row) => <Moment at={row.deployedDtm} />,
      text: (row) => row.deployedDtm,
    },
    { title: t('keys.createdBy'), show: (row) => row.createdBy, text: (row) => row.createdBy },
  ];
  return (
    <Guarded group="processDefinitions" name="list">
      <Page
        title={t('definitions.title')}
        actions={
          may('processDefinitions', 'create') && (
            <Anchor component={Link} to="/definitions/new">
              {t('definitions.new')}
            </Anchor>
          )
        }
      >
        <List<DefinitionRow>
          group="processDefinitions"
          name="list"
          label={t('definitions.title')}
          columns={columns}
          keyOf={({ id }) => id}
          linkOf={({ id }) => `/definitions/${id}`}
        />
      </Page>
    </Guarded>
  );
}
