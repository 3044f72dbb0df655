import { Anchor, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay, useSession } from '../api/session.tsx';
import { NoteCard } from '../parts/case-notes.tsx';
import { FirstSteps } from '../parts/first-steps.tsx';
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
      <FirstSteps />
      {may('reviews', 'list') && <Queue />}
      {may('noteMentions', 'list') && <Mentions />}
      {may('usage', 'get') && may('processInstances', 'list') && <Numbers />}
      <Attention />
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
  ['ACTIVE', 'home.active', 'open'],
  ['COMPLETED_ENDED_SUCCESS', 'home.accepted', 'accepted'],
  ['COMPLETED_ENDED_ERROR', 'home.declined', 'declined'],
] as const satisfies readonly (readonly [string, TextKey, string])[];
const WEEK_DAYS = 7;

/** What came of the verifications of today, beside those of the same day a week ago. Each leads to its list. */
function Numbers() {
  const t = useT();
  const environment = useEnvironment();
  const today = dayOf(0);
  const { data } = useQuery({
    queryKey: [environment, 'home-usage', today],
    queryFn: () => call('usage', 'get', { query: { from: dayOf(WEEK_DAYS), to: today } }),
  });
  const of = (date: string) => data?.days.find((day) => day.date === date);
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      {SHOWN.map(([status, title, member]) => (
        <Link key={status} to="/instances" search={{ status, from: today } as never} className="plain-link">
          <div className="card">
            <Text size="sm" c="dimmed">
              {t(title)} · {t('home.today')}
            </Text>
            <div className="number">{data ? (of(today)?.[member] ?? 0) : '–'}</div>
            <Text size="xs" c="dimmed">
              {t('home.weekAgo', { n: of(dayOf(WEEK_DAYS))?.[member] ?? 0 })}
            </Text>
          </div>
        </Link>
      ))}
    </SimpleGrid>
  );
}

const DAY_MS = 86_400_000;

/** A day of the calendar (UTC), so many days ago. */
function dayOf(daysAgo: number): string {
  return new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
}

const SOON_MS = 14 * DAY_MS;
const MAX_LOOKED_AT = 100;
const MAX_NAMED = 5;

/** What needs somebody: keys that expire soon, webhooks that are off or fail. */
function Attention() {
  const t = useT();
  const may = useMay();
  const environment = useEnvironment();
  const canSeeKeys = may('apiKeys', 'list');
  const canSeeWebhooks = may('webhooks', 'list') && may('webhooks', 'listDeliveries');
  const { data = [] } = useQuery({
    queryKey: [environment, 'attention', canSeeKeys, canSeeWebhooks],
    queryFn: async () => [
      ...(canSeeKeys ? await expiringKeys() : []),
      ...(canSeeWebhooks ? await failingWebhooks() : []),
    ],
  });
  if (data.length === 0) return null;
  return (
    <section className="card" aria-label={t('home.attention')}>
      <Title order={2} size="h5" mb="xs">
        {t('home.attention')}
      </Title>
      <Stack gap={4} component="ul" className="plain-list">
        {data.map(({ to, text, values }) => (
          <li key={`${to} ${values.name}`}>
            <Anchor component={Link} to={to} size="sm">
              {t(text, values)}
            </Anchor>
          </li>
        ))}
      </Stack>
    </section>
  );
}

type Concern = { to: string; text: TextKey; values: { name: string } };

async function expiringKeys(): Promise<Concern[]> {
  const { content } = await call('apiKeys', 'list', { query: { size: MAX_LOOKED_AT, sort: ['expiringDtm,desc'] } });
  const soon = content.filter(({ status, expiringDtm }) => {
    const left = expiringDtm ? Date.parse(expiringDtm) - Date.now() : Number.POSITIVE_INFINITY;
    return status === 'ACTIVE' && left > 0 && left < SOON_MS;
  });
  return soon.slice(0, MAX_NAMED).map(({ name }) => ({ to: '/keys', text: 'home.keyExpires', values: { name } }));
}

async function failingWebhooks(): Promise<Concern[]> {
  const { content } = await call('webhooks', 'list', { query: { size: MAX_LOOKED_AT } });
  const concerns: Concern[] = [];
  for (const { id, name, status } of content.slice(0, MAX_NAMED)) {
    const [newest] = (await call('webhooks', 'listDeliveries', { params: { webhookId: id }, query: { size: 1 } }))
      .content;
    const to = `/webhooks/${id}`;
    if (status === 'DISABLED') concerns.push({ to, text: 'home.webhookOff', values: { name } });
    else if (newest?.status === 'FAILED') concerns.push({ to, text: 'home.webhookFails', values: { name } });
  }
  return concerns;
}
