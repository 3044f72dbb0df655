import { Anchor, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay, useSession } from '../api/session.tsx';
import { NoteCard } from '../parts/case-notes.tsx';
import { dayStart } from '../parts/day-start.ts';
import { FirstSteps } from '../parts/first-steps.tsx';
import { useMomentText } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { QUEUE_ORDER } from '../parts/queue-order.ts';
import { type TextKey, useT } from '../texts/texts.tsx';

/** Shows what waits, the recent results, and what is still to be set up. Every number links to its list. */
export function Home() {
  const t = useT();
  const { operator } = useSession();
  const may = useMay();
  return (
    <Page title={t('home.title', { name: operator.name })}>
      <FirstSteps />
      {may('reviews', 'list') && <Queue />}
      {may('noteMentions', 'list') && <Mentions />}
      {may('processInstances', 'search') && <Numbers />}
      <Attention />
    </Page>
  );
}

const MENTIONS_SHOWN = 3;

/** Notes of colleagues that mention the operator. */
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
  const first = useQuery({
    queryKey: [environment, 'reviews', 'first'],
    queryFn: () => call('reviews', 'list', { query: { size: 1, sort: QUEUE_ORDER } }),
  }).data?.content[0];
  return (
    <div className="card">
      <Group justify="space-between">
        <div>
          <Title order={2} size="h5">
            {t('home.waiting')}
          </Title>
          <Link to="/reviews" className="number-link" aria-label={`${t('home.waiting')}: ${data?.totalElements ?? 0}`}>
            <span className="number">{data?.totalElements ?? '–'}</span>
          </Link>
          <Text size="sm" c="dimmed">
            {oldest ? t('home.oldest', { time: momentText(oldest.waitingSinceDtm) }) : t('home.queueEmpty')}
          </Text>
        </div>
        {first && (
          <Button component={Link} to={`/reviews/${first.processInstanceId}`}>
            {t('home.startReview')}
          </Button>
        )}
      </Group>
    </div>
  );
}

const SHOWN_STATUSES = [
  ['ACTIVE', 'home.active'],
  ['COMPLETED_ENDED_SUCCESS', 'home.accepted'],
  ['COMPLETED_ENDED_ERROR', 'home.declined'],
] as const satisfies readonly (readonly [string, TextKey])[];
type Status = (typeof SHOWN_STATUSES)[number][0];
const WEEK_DAYS = 7;

/** The verifications of today by status, beside those of the same day a week ago. Each number links to its list. */
function Numbers() {
  const t = useT();
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      {SHOWN_STATUSES.map(([status, title]) => (
        <div className="card" key={status}>
          <Text size="sm" c="dimmed">
            {t(title)} · {t('home.today')}
          </Text>
          <Count status={status} daysAgo={0} title={t(title)} />
          <Count status={status} daysAgo={WEEK_DAYS} title={t(title)} />
        </div>
      ))}
    </SimpleGrid>
  );
}

/** The number of entries in the linked list; both use the same query. */
function Count({ status, daysAgo, title }: { status: Status; daysAgo: number; title: string }) {
  const t = useT();
  const environment = useEnvironment();
  const day = dayOf(daysAgo);
  const search = { status, from: day, to: day };
  const { data } = useQuery({
    queryKey: [environment, 'home-count', search],
    queryFn: () =>
      call('processInstances', 'search', {
        query: {
          processInstanceStatus: status,
          size: 1,
          startDateTime: dayStart(day, 0),
          endDateTime: dayStart(day, 1),
        },
      }),
  });
  const n = data?.totalElements;
  const isToday = daysAgo === 0;
  return (
    <Link
      to="/instances"
      search={search as never}
      className="number-link"
      aria-label={`${title}, ${isToday ? `${t('home.today')}: ${n ?? 0}` : t('home.weekAgo', { n: n ?? 0 })}`}
    >
      {isToday ? (
        <div className="number">{n ?? '–'}</div>
      ) : (
        <Text size="xs" c="dimmed">
          {t('home.weekAgo', { n: n ?? 0 })}
        </Text>
      )}
    </Link>
  );
}

/** A past day of the viewer's calendar. */
function dayOf(daysAgo: number): string {
  const date = new Date();
  date.setDate(date.getDate() - daysAgo);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

const SOON_DAYS = 14;
const MAX_LOOKED_AT = 100;
const MAX_NAMED = 5;
/** The number of webhooks whose newest delivery is checked. */
const MAX_ASKED = 20;

/** Shows what needs attention: keys that expire soon, webhooks that are blocked or fail. */
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
        {data.map(({ to, search, text, values }) => (
          <li key={`${to} ${values.name}`}>
            <Anchor component={Link} to={to} search={search as never} size="sm">
              {t(text, values)}
            </Anchor>
          </li>
        ))}
      </Stack>
    </section>
  );
}

type Concern = { to: string; search?: { name: string }; text: TextKey; values: { name: string } };

async function expiringKeys(): Promise<Concern[]> {
  const query = { expiringWithinDays: SOON_DAYS, size: MAX_NAMED, sort: ['expiringDtm'] };
  const { content } = await call('apiKeys', 'list', { query });
  return content.map(({ name }) => ({ to: '/keys', search: { name }, text: 'home.keyExpires', values: { name } }));
}

async function failingWebhooks(): Promise<Concern[]> {
  const { content } = await call('webhooks', 'list', { query: { size: MAX_LOOKED_AT } });
  const concernOf = async ({ id, name, status }: (typeof content)[number]): Promise<Concern[]> => {
    const to = `/webhooks/${id}`;
    if (status === 'DISABLED') return [{ to, text: 'home.webhookOff', values: { name } }];
    const deliveries = await call('webhooks', 'listDeliveries', { params: { webhookId: id }, query: { size: 1 } });
    const [newest] = deliveries.content;
    return newest?.status === 'FAILED' ? [{ to, text: 'home.webhookFails', values: { name } }] : [];
  };
  const concerns = await Promise.all(content.slice(0, MAX_ASKED).map(concernOf));
  return concerns.flat().slice(0, MAX_NAMED);
}
