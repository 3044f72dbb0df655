import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';
import { StatusTag, Tag } from './badges.tsx';
import { statusWord } from './instance-status.ts';
import { Moment } from './moment.tsx';

type LinkRow = Result<'instanceLinks', 'list'>['links'][number];

/** Other verifications with the same values as this one. */
export function Links({ id }: { id: string }) {
  const t = useT();
  const may = useMay();
  const environment = useEnvironment();
  const isAllowed = may('instanceLinks', 'list');
  const query = useQuery({
    queryKey: [environment, 'links', id],
    queryFn: () => call('instanceLinks', 'list', { params: { processInstanceId: id } }),
    enabled: isAllowed,
    staleTime: 30_000,
  });
  if (!isAllowed || !query.data) return null;
  const { links } = query.data;
  return (
    <section aria-label={t('links.title')}>
      <Title order={2} size="h5" mb="sm">
        {t('links.title')}
      </Title>
      {links.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('links.none')}
        </Text>
      )}
      <Stack gap="xs" component="ul" className="plain-list">
        {links.map((link) => (
          <LinkCard key={link.processInstanceId} link={link} />
        ))}
      </Stack>
    </section>
  );
}

function LinkCard({ link }: { link: LinkRow }) {
  const t = useT();
  const { processInstanceId, firstName, lastName, status, shares, score, createdDtm } = link;
  const name = [firstName, lastName].filter(Boolean).join(' ');
  return (
    <li className="card check">
      <Group gap="xs" justify="space-between">
        <Anchor component={Link} to={`/instances/${processInstanceId}`} size="sm" fw={600}>
          {name || t('instances.noName')}
        </Anchor>
        <StatusTag status={statusWord(status)} />
      </Group>
      <Group gap={4} mt={4}>
        {shares.map((kind) => (
          <Tag key={kind} tone="wait">
            {t(`links.${kind}`)}
          </Tag>
        ))}
        {score !== undefined && (
          <Text size="xs" c="dimmed">
            {t('check.scoreAlone', { score: Math.round(score * 100) / 100 })}
          </Text>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        <Moment at={createdDtm} />
      </Text>
    </li>
  );
}
