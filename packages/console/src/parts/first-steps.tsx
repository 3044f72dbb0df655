import { Anchor, Button, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { canTry, useMay, useSession } from '../api/session.tsx';
import { type TextKey, useT } from '../texts/texts.tsx';

type FirstStep = { to: string; text: TextKey; isAllowed: boolean; isDone(): Promise<boolean> };

const ONE = { size: 1 };
const inTest = { environment: 'test' as const, query: ONE };

function firstSteps(may: ReturnType<typeof useMay>, hasTest: boolean): FirstStep[] {
  const all: FirstStep[] = [
    {
      to: '/try',
      text: 'home.setupTry',
      isAllowed: hasTest && canTry(may) && may('processInstances', 'list'),
      isDone: async () => (await call('processInstances', 'list', inTest)).totalElements > 0,
    },
    {
      to: '/reviews',
      text: 'home.setupDecide',
      isAllowed: hasTest && may('closedReviews', 'list'),
      isDone: async () => (await call('closedReviews', 'list', inTest)).totalElements > 0,
    },
    {
      to: '/keys',
      text: 'home.setupKey',
      isAllowed: may('apiKeys', 'list'),
      isDone: async () => (await call('apiKeys', 'list', { query: ONE })).totalElements > 0,
    },
    {
      to: '/webhooks',
      text: 'home.setupWebhook',
      isAllowed: may('webhooks', 'list'),
      isDone: async () => (await call('webhooks', 'list', { query: ONE })).totalElements > 0,
    },
    {
      to: '/operators',
      text: 'home.setupPeople',
      isAllowed: may('operators', 'list'),
      isDone: async () => (await call('operators', 'list', { query: ONE })).totalElements > 1,
    },
  ];
  return all.filter(({ isAllowed }) => isAllowed);
}

/** The first tasks of a new tenant, from a test verification to inviting colleagues; hidden when all are done. */
export function FirstSteps() {
  const t = useT();
  const { environments } = useSession();
  const allowed = firstSteps(useMay(), environments.includes('test'));
  const { data } = useQuery({
    queryKey: ['first-steps', ...allowed.map(({ to }) => to)],
    queryFn: () => Promise.all(allowed.map(({ isDone }) => isDone())),
  });
  if (!data || data.every(Boolean)) return null;
  const next = data.indexOf(false);
  return (
    <section className="card" aria-label={t('home.setup')}>
      <Title order={2} size="h5" mb="sm">
        {t('home.setup')}
      </Title>
      <Stack gap="xs" component="ol" className="plain-list">
        {allowed.map(({ to, text }, at) => (
          <Group key={to} component="li" gap="sm" wrap="nowrap">
            <ThemeIcon flex="none" size={22} radius="xl" variant={data[at] ? 'filled' : 'default'} aria-hidden="true">
              {data[at] ? '✓' : at + 1}
            </ThemeIcon>
            <Anchor component={Link} to={to} size="sm" className="grow">
              {t(text)}{' '}
              <Text span className="hidden">
                ({t(data[at] ? 'home.setupDone' : 'home.open')})
              </Text>
            </Anchor>
            {at === next && (
              <Button
                component={Link}
                to={to}
                size="compact-sm"
                flex="none"
                aria-label={`${t('home.begin')}: ${t(text)}`}
              >
                {t('home.begin')}
              </Button>
            )}
          </Group>
        ))}
      </Stack>
    </section>
  );
}
