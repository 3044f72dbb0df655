import { Anchor, Button, Group, List, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay, useSession } from '../api/session.tsx';
import { NoteCard } from '../parts/case-notes.tsx';
import { useMomentText } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { type TextKey, useT } from '../texts/texts.tsx';

/** What waits, what came of the rest, and what is still to be set up. Every number leads to its list. */
export function Home() {
  const t = useT();
  const { operator } = useSession();
  const may = useMay();
  return (
    <Page title={t('home.title', { name: operator.name })}>
      {may('reviews', 'list') && <Queue />}
      {may('noteMentions', 'list') && <Mentions />}
      {may('processInstances', 'list') && <Numbers />}
      {may('apiKeys', 'list') && may('webhooks', 'list') && may('operators', 'list') && <SetUp />}
    </Page>
  );
}

const MENTIONS_SHOWN = 3;

/** What colleagues ask to be looked at. */
function Mentions() {
  const t = useT();
  const environment = useEnvironment();
  const { data } = useQuery({
    queryKey: [environment, 'mentions'],
    queryFn: () => call('noteMentions', 'list', { query: { size: MENTIONS_SHOWN } }),
  });
  if (!data || data.content.length === 0) return null;
  return (
    <section aria-label={t('notes.mentions')}>
      <Title order={2} size="h5" mb="xs">
        {t('notes.mentions')}
      </Title>
      <Stack gap="xs">
        {data.content.map((note) => (
          <Link key={note.id} to="/instances/$id" params={{ id: note.processInstanceId }} className="plain-link">
            <NoteCard note={note} />
          </Link>
        ))}
      </Stack>
    </section>
  );
}

function Queue() {
  const t = useT();
  const environment = useEnvironment();
  const momentText = useMomentText();
  const { data } = useQuery({
    queryKey: [environment, 'reviews', 'oldest'],
    queryFn: () => call('reviews', 'list', { query: { size: 1, sort: ['waitingSinceDtm,asc'] } }),
  });
  const [oldest] = data?.content ?? [];
  return (
    <div className="card">
      <Group justify="space-between">
        <div>
          <Title order={2} size="h5">
            {t('home.waiting')}
          </Title>
          <div className="number">{data?.totalElements ?? '–'}</div>
          <Text size="sm" c="dimmed">
            {oldest ? t('home.oldest', { time: momentText(oldest.waitingSinceDtm) }) : t('home.queueEmpty')}
          </Text>
        </div>
        {oldest && (
          <Button component={Link} to={`/reviews/${oldest.processInstanceId}`}>
            {t('home.startReview')}
          </Button>
        )}
      </Group>
    </div>
  );
}

const SHOWN = [
  ['ACTIVE', 'home.active'],
  ['COMPLETED_ENDED_SUCCESS', 'home.accepted'],
  ['COMPLETED_ENDED_ERROR', 'home.declined'],
] as const satisfies readonly (readonly [string, TextKey])[];

function Numbers() {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      {SHOWN.map(([status, title]) => (
        <Count key={status} status={status} title={title} />
      ))}
    </SimpleGrid>
  );
}

function Count({ status, title }: { status: (typeof SHOWN)[number][0]; title: TextKey }) {
  const t = useT();
  const environment = useEnvironment();
  const { data } = useQuery({
    queryKey: [environment, 'count', status],
    queryFn: () => call('processInstances', 'list', { query: { size: 1, processInstanceStatus: status } }),
  });
  return (
    <Link to="/instances" search={{ status } as never} className="plain-link">
      <div className="card">
        <Text size="sm" c="dimmed">
          {t(title)}
        </Text>
        <div className="number">{data?.totalElements ?? '–'}</div>
      </div>
    </Link>
  );
}

function SetUp() {
  const t = useT();
  const environment = useEnvironment();
  const { data } = useQuery({
    queryKey: [environment, 'set-up'],
    queryFn: async () => {
      const query = { size: 2 };
      const [keys, webhooks, people] = await Promise.all([
        call('apiKeys', 'list', { query }),
        call('webhooks', 'list', { query }),
        call('operators', 'list', { query }),
      ]);
      return { keys: keys.totalElements, webhooks: webhooks.totalElements, people: people.totalElements };
    },
  });
  if (!data) return null;
  const rows = [
    { to: '/keys', text: t('home.setupKey'), isDone: data.keys > 0 },
    { to: '/webhooks', text: t('home.setupWebhook'), isDone: data.webhooks > 0 },
    { to: '/operators', text: t('home.setupPeople'), isDone: data.people > 1 },
  ];
  if (rows.every(({ isDone }) => isDone)) return null;
  return (
    <Stack gap="xs" className="card">
      <Title order={2} size="h5">
        {t('home.setup')}
      </Title>
      <List spacing="xs" size="sm">
        {rows.map(({ to, text, isDone }) => (
          <List.Item key={to}>
            <Anchor component={Link} to={to} size="sm">
              {text}
            </Anchor>{' '}
            <Text span size="sm" c="dimmed">
              ({t(isDone ? 'home.setupDone' : 'home.open')})
            </Text>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
