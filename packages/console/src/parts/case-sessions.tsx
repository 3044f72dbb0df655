import { Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { useT, useTexts } from '../texts/texts.tsx';
import { Tag } from './badges.tsx';
import { useDeviceName } from './device-name.ts';
import { Moment } from './moment.tsx';

type SessionRow = Result<'instanceSessions', 'list'>['sessions'][number];

/** The browsers and networks that the person used. */
export function Sessions({ id }: { id: string }) {
  const t = useT();
  const may = useMay();
  const environment = useEnvironment();
  const isAllowed = may('instanceSessions', 'list');
  const query = useQuery({
    queryKey: [environment, 'sessions', id],
    queryFn: () => call('instanceSessions', 'list', { params: { processInstanceId: id } }),
    enabled: isAllowed,
    staleTime: 30_000,
  });
  if (!isAllowed || !query.data) return null;
  const { sessions, messages } = query.data;
  return (
    <>
      <section aria-label={t('sessions.title')}>
        <Title order={2} size="h5" mb="sm">
          {t('sessions.title')}
        </Title>
        {sessions.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('sessions.none')}
          </Text>
        )}
        <Stack gap="xs" component="ul" className="plain-list">
          {sessions.map((session) => (
            <SessionCard key={`${session.createdDtm} ${session.browser}`} session={session} />
          ))}
        </Stack>
      </section>
      {messages.length > 0 && <Messages messages={messages} />}
    </>
  );
}

type MessageRow = Result<'instanceSessions', 'list'>['messages'][number];

const TONES = { WAITING: 'plain', SENDING: 'wait', SENT: 'good', FAILED: 'bad' } as const;

/** The messages to the person, and whether they were sent. */
function Messages({ messages }: { messages: readonly MessageRow[] }) {
  const t = useT();
  return (
    <section aria-label={t('messages.title')}>
      <Title order={2} size="h5" mb="sm">
        {t('messages.title')}
      </Title>
      <Stack gap="xs" component="ul" className="plain-list">
        {messages.map(({ id, kind, channel, state, createdDtm }) => (
          <li key={id} className="card check">
            <Group gap={6}>
              <Text size="sm" fw={600}>
                {t(`messages.${kind}`)}
              </Text>
              <Tag tone={TONES[state]}>{t(`messages.${state}`)}</Tag>
            </Group>
            <Text size="xs" c="dimmed">
              {t(`messages.${channel}`)} · <Moment at={createdDtm} />
            </Text>
          </li>
        ))}
      </Stack>
    </section>
  );
}

function SessionCard({ session }: { session: SessionRow }) {
  const { t, language } = useTexts();
  const deviceName = useDeviceName();
  const { browser, handedOver, createdDtm, networks, timeZone, countryCode } = session;
  const country = countryCode && new Intl.DisplayNames(language, { type: 'region' }).of(countryCode);
  return (
    <li className="card check">
      <Group gap={6}>
        <Text size="sm" fw={600}>
          <bdi>{deviceName(browser)}</bdi>
        </Text>
        {handedOver && <Tag tone="plain">{t('sessions.handedOver')}</Tag>}
        {networks.length > 1 && <Tag tone="wait">{t('sessions.networkChanged')}</Tag>}
        {isElsewhere(timeZone, countryCode) && <Tag tone="wait">{t('sessions.elsewhere')}</Tag>}
      </Group>
      <Text size="xs" c="dimmed">
        <Moment at={createdDtm} />
      </Text>
      {country && (
        <Text size="xs">
          {t('sessions.country')}: <bdi>{country}</bdi>
        </Text>
      )}
      {timeZone && (
        <Text size="xs">
          {t('sessions.clock')}: <bdi>{timeZone.replaceAll('_', ' ')}</bdi>
        </Text>
      )}
      {networks.map(({ network, firstSeenDtm }, at) => (
        <Text size="xs" key={firstSeenDtm}>
          {t('sessions.network')}: <bdi>{network}</bdi> {at > 0 && <Moment at={firstSeenDtm} />}
        </Text>
      ))}
    </li>
  );
}

type LocaleWithZones = Intl.Locale & { getTimeZones?(): readonly string[] | undefined };

/** Whether the time zone belongs to another country than the address, as far as the browser knows. */
function isElsewhere(timeZone: string | undefined, countryCode: string | undefined): boolean {
  if (!timeZone || !countryCode) return false;
  const locale: LocaleWithZones = new Intl.Locale(`und-${countryCode}`);
  const zones = locale.getTimeZones?.() ?? [];
  return zones.length > 0 && !zones.includes(timeZone);
}
