import { Group, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay, useSession } from '../api/session.tsx';
import { Tag } from '../parts/badges.tsx';
import { dayStart } from '../parts/day-start.ts';
import { DayFields, FilterChips, SearchField, useFilters } from '../parts/filters.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { setQueueOfTab } from '../parts/queue-of-tab.ts';
import { QUEUE_ORDER } from '../parts/queue-order.ts';
import { reviewerName } from '../parts/reviewer-name.ts';
import { SavedViews } from '../parts/saved-views.tsx';
import { Empty, Guarded } from '../parts/states.tsx';
import { UrgencyTags } from '../parts/urgency-tags.tsx';
import { useExplainQueue } from '../texts/reasons.ts';
import { useT } from '../texts/texts.tsx';
import { nameOf } from './instances.tsx';

type ReviewRow = Result<'reviews', 'list'>['content'][number];

export function Reviews() {
  const t = useT();
  const navigate = useNavigate();
  const may = useMay();
  const { view = 'all', definition, due, queue } = useSearch({ strict: false }) as Record<string, string | undefined>;
  useEffect(() => setQueueOfTab(queue), [queue]);
  return (
    <Guarded group="reviews" name="list">
      <Page title={t('reviews.title')}>
        <SegmentedControl
          className="self-start"
          aria-label={t('reviews.title')}
          value={view}
          data={[
            { value: 'all', label: t('reviews.all') },
            { value: 'mine', label: t('reviews.mine') },
            { value: 'free', label: t('reviews.free') },
            ...(may('closedReviews', 'list') ? [{ value: 'closed', label: t('reviews.closed') }] : []),
          ]}
          onChange={(next) => navigate({ to: '/reviews', search: { view: next, definition, due, queue } as never })}
        />
        <QueueFilters isOpen={view !== 'closed'} />
        <SavedViews screen="reviews" />
        {view === 'closed' ? (
          <Guarded group="closedReviews" name="list">
            <Closed />
          </Guarded>
        ) : (
          <Open view={view} />
        )}
      </Page>
    </Guarded>
  );
}

/** The cases that wait for a decision, the oldest first. */
function Open({ view }: { view: string }) {
  const t = useT();
  const explain = useExplainQueue();
  const { operator } = useSession();
  const { definition, due, queue } = useFilters<'definition' | 'due' | 'queue'>().filters;
  const columns: Column<ReviewRow>[] = [
    { title: t('instances.person'), show: (row) => nameOf(row) || t('instances.noName'), text: nameOf },
    {
      title: t('reviews.reason'),
      show: ({ reasons: [first] }) => (
        <Text size="sm" lineClamp={2}>
          {first ? explain(first) : '–'}
        </Text>
      ),
      text: ({ reasons }) => reasons.join(' '),
    },
    { title: t('instances.definition'), show: (row) => row.processDefnName, text: (row) => row.processDefnName },
    {
      title: t('reviews.waiting'),
      sort: 'waitingSinceDtm',
      show: (row) => (
        <>
          <Moment at={row.waitingSinceDtm} relative />
          <UrgencyTags {...row} />
        </>
      ),
      text: (row) => row.waitingSinceDtm,
    },
    {
      title: t('due.title'),
      show: ({ dueDtm }) => (dueDtm ? <Moment at={dueDtm} /> : '–'),
      text: ({ dueDtm }) => dueDtm,
    },
    {
      title: t('reviews.reviewer'),
      show: (row) => row.reviewer ?? t('reviews.nobody'),
      text: (row) => row.reviewer,
    },
  ];
  const filters: Record<string, Record<string, string>> = {
    all: {},
    mine: { reviewer: reviewerName(operator) },
    free: { assigned: 'UNCLAIMED' },
  };
  return (
    <List<ReviewRow>
      group="reviews"
      name="list"
      label={t('reviews.title')}
      query={{
        sort: QUEUE_ORDER,
        ...filters[view],
        processDefnName: definition,
        queue,
        due: due === 'OVERDUE' ? due : undefined,
      }}
      columns={columns}
      keyOf={(row) => row.processInstanceId}
      linkOf={(row) => `/reviews/${row.processInstanceId}`}
      empty={<NobodyWaits />}
    />
  );
}

function NobodyWaits() {
  const t = useT();
  return (
    <Empty title={t('home.queueEmpty')}>
      <Text c="dimmed">{t('reviews.emptyLead')}</Text>
    </Empty>
  );
}

/** Filters by definition, in any version, and open cases by being overdue. */
function QueueFilters({ isOpen }: { isOpen: boolean }) {
  const t = useT();
  const { filters, set } = useFilters<'definition' | 'due' | 'queue'>();
  const queues = useQueues();
  const due = isOpen && filters.due === 'OVERDUE' ? t('due.overdue') : undefined;
  return (
    <>
      <Group align="flex-end">
        <SearchField name="definition" label={t('instances.definition')} placeholder="document-and-selfie" />
        {isOpen && queues.length > 0 && (
          <NativeSelect
            label={t('queues.title')}
            value={filters.queue ?? ''}
            data={[
              { value: '', label: t('queues.all') },
              ...queues.map(({ name, waiting }) => ({
                value: name,
                label: t('queues.label', { name, n: waiting }),
              })),
            ]}
            onChange={(event) => set({ queue: event.currentTarget.value || undefined })}
          />
        )}
        {isOpen && (
          <NativeSelect
            label={t('due.title')}
            value={due ? 'OVERDUE' : ''}
            data={[
              { value: '', label: t('due.all') },
              { value: 'OVERDUE', label: t('due.overdue') },
            ]}
            onChange={(event) => set({ due: event.currentTarget.value || undefined })}
          />
        )}
      </Group>
      <FilterChips
        active={[
          { name: 'definition', label: t('instances.definition'), value: filters.definition },
          { name: 'due', label: t('due.title'), value: due },
          { name: 'queue', label: t('queues.title'), value: isOpen ? filters.queue : undefined },
        ]}
      />
    </>
  );
}

/** The tenant's queues, with the number of waiting cases. */
function useQueues() {
  const may = useMay();
  const environment = useEnvironment();
  const { data } = useQuery({
    queryKey: [environment, 'queues'],
    queryFn: () => call('reviewQueues', 'list', {}),
    enabled: may('reviewQueues', 'list'),
  });
  return data?.queues ?? [];
}

type ClosedRow = Result<'closedReviews', 'list'>['content'][number];

/** The decided cases, the newest first. */
function Closed() {
  const t = useT();
  const columns: Column<ClosedRow>[] = [
    { title: t('instances.person'), show: (row) => nameOf(row) || t('instances.noName'), text: nameOf },
    {
      title: t('reviews.verdict'),
      show: ({ verdict }) => <Tag tone={TONES[verdict] ?? 'plain'}>{t(`reviews.${verdict}`)}</Tag>,
      text: ({ verdict }) => verdict,
    },
    { title: t('case.comment'), show: ({ comment }) => <bdi>{comment ?? '–'}</bdi>, text: ({ comment }) => comment },
    { title: t('reviews.reviewer'), show: ({ reviewer }) => <bdi>{reviewer}</bdi>, text: ({ reviewer }) => reviewer },
    { title: t('reviews.decided'), show: (row) => <Moment at={row.decidedDtm} />, text: (row) => row.decidedDtm },
  ];
  const { filters, set } = useFilters<'verdict' | 'reviewer' | 'definition' | 'from' | 'to'>();
  const { verdict, reviewer, definition, from, to } = filters;
  const verdictText = VERDICTS.find((each) => each === verdict);
  return (
    <>
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label={t('reviews.verdict')}
          value={verdict ?? ''}
          data={[
            { value: '', label: t('instances.all') },
            ...VERDICTS.map((value) => ({ value, label: t(`reviews.${value}`) })),
          ]}
          onChange={(event) => set({ verdict: event.currentTarget.value || undefined })}
        />
        <SearchField name="reviewer" label={t('reviews.reviewer')} placeholder="Jane Doe (jane@example.com)" />
        <DayFields />
      </Group>
      <FilterChips
        active={[
          { name: 'verdict', label: t('reviews.verdict'), value: verdictText && t(`reviews.${verdictText}`) },
          { name: 'reviewer', label: t('reviews.reviewer'), value: reviewer },
          { name: 'from', label: t('list.from'), value: from },
          { name: 'to', label: t('list.to'), value: to },
        ]}
      />
      <List<ClosedRow>
        group="closedReviews"
        name="list"
        label={t('reviews.closed')}
        query={{
          verdict: verdictText,
          reviewer,
          processDefnName: definition,
          startDateTime: dayStart(from, 0),
          endDateTime: dayStart(to, 1),
        }}
        columns={columns}
        keyOf={(row) => `${row.processInstanceId} ${row.decidedDtm}`}
        linkOf={(row) => `/instances/${row.processInstanceId}`}
      />
    </>
  );
}

const VERDICTS = ['APPROVED', 'REJECTED', 'ASKED_AGAIN', 'REOPENED'] as const;
const TONES = { APPROVED: 'good', REJECTED: 'bad', ASKED_AGAIN: 'wait', REOPENED: 'wait' } as const;
