import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Result } from '../api/client.ts';
import type { TranslatePerson } from '../texts/persons.ts';
import { useT } from '../texts/texts.tsx';
import { type Column, List } from './list.tsx';
import { Moment } from './moment.tsx';
import { SectionHead } from './section-head.tsx';
import { Empty } from './states.tsx';

type AuditRow = Result<'auditEvents', 'list'>['content'][number];

/** Earlier requests from the audit trail, which records when and by whom, but not about whom. */
export function EarlierRequests({ p }: { p: TranslatePerson }) {
  const t = useT();
  const columns: Column<AuditRow>[] = [
    { title: t('audit.when'), show: (row) => <Moment at={row.dateTime} />, text: (row) => row.dateTime },
    { title: t('audit.who'), show: (row) => <bdi>{row.actor}</bdi>, text: (row) => row.actor },
    {
      title: p('request'),
      show: ({ item = '' }) => (
        <Anchor component={Link} to="/persons" search={{ request: item } as never} size="sm" className="wrap">
          {item}
        </Anchor>
      ),
      text: (row) => row.item,
    },
  ];
  return (
    <section>
      <SectionHead title={p('history')} />
      <List<AuditRow>
        group="auditEvents"
        name="list"
        scope={{ action: 'person.searched' }}
        label={p('history')}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Empty title={p('noHistory')} />}
      />
    </section>
  );
}
