import { Group, SegmentedControl, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { useDeviceName } from '../parts/device-name.ts';
import { durationText } from '../parts/duration.ts';
import { type Figure, Figures } from '../parts/figures.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Failed, Guarded, Waiting } from '../parts/states.tsx';
import { useT, useTexts } from '../texts/texts.tsx';

type UsageView = Result<'usage', 'get'>;
type Counts = UsageView['total'];

const PERIODS = ['7', '30', '90'] as const;
const DAY_MS = 86_400_000;
const BARS = [
  { at: 1, color: 'teal.7' },
  { at: 2, color: 'red.8' },
  { at: 3, color: 'yellow.6' },
  { at: 4, color: 'gray.5' },
];

/** The number, quality and speed of verifications. Every figure is a table that can be exported. */
export function Usage() {
  const t = useT();
  const environment = useEnvironment();
  const enabled = useMay()('usage', 'get');
  const navigate = useNavigate();
  const { days = '30', definition } = useSearch({ strict: false }) as { days?: string; definition?: string };
  const from = new Date(Date.now() - (Number(days) - 1) * DAY_MS).toISOString().slice(0, 10);
  const all = useQuery({
    queryKey: [environment, 'usage', from],
    queryFn: () => call('usage', 'get', { query: { from } }),
    enabled,
  });
  const query = useQuery({
    queryKey: [environment, 'usage', from, definition],
    queryFn: () => call('usage', 'get', { query: { from, processDefnName: definition } }),
    enabled,
  });
  const go = (next: object) => navigate({ to: '/usage', search: { days, definition, ...next } as never });
  return (
    <Guarded group="usage" name="get">
      <Page title={t('usage.title')}>
        <Group align="flex-end">
          <SegmentedControl
            aria-label={t('usage.period')}
            value={days}
            data={PERIODS.map((value) => ({ value, label: t('usage.days', { n: Number(value) }) }))}
            onChange={(next) => go({ days: next })}
          />
          <Select
            label={t('instances.definition')}
            placeholder={t('usage.every')}
            clearable
            value={definition ?? null}
            data={(all.data?.definitions ?? []).map(({ processDefnName }) => processDefnName)}
            onChange={(next) => go({ definition: next ?? undefined })}
          />
        </Group>
        {query.isPending && <Waiting />}
        {query.isError && <Failed error={query.error} retry={() => query.refetch()} />}
        {query.data && <UsageReport usage={query.data} definition={definition} />}
      </Page>
    </Guarded>
  );
}

function UsageReport({ usage, definition }: { usage: UsageView; definition: string | undefined }) {
  const { t, language } = useTexts();
  const deviceName = useDeviceName();
  const { total, days, definitions, devices, reviewers } = usage;
  if (total.created === 0) return <Empty title={t('usage.none')} />;
  const heads = [
    t('usage.created'),
    t('status.Accepted'),
    t('status.Declined'),
    t('status.Review'),
    t('status.Abandoned'),
    t('status.Error'),
    t('status.In Progress'),
  ];
  return (
    <Stack gap="xl">
      <KeyFigures usage={usage} />
      <Figures
        title={t('usage.byDay')}
        name={'days'}
        heads={[t('usage.day'), ...heads]}
        bars={BARS}
        rows={days.map(({ date, ...counts }) => figureOf(date, counts))}
      />
      {definition === undefined && (
        <Figures
          title={t('usage.byDefinition')}
          name={'definitions'}
          bars={BARS}
          heads={[t('instances.definition'), ...heads]}
          rows={definitions.map(({ processDefnName, ...counts }) => figureOf(processDefnName, counts))}
        />
      )}
      <Funnel definition={definition ?? definitions[0]?.processDefnName} />
      <Figures
        title={t('usage.devices')}
        name={'devices'}
        bars={[{ at: 0, color: 'teal.7' }]}
        heads={[t('usage.browser'), t('usage.instances')]}
        rows={devices.map(({ browser, instances }) => ({ label: deviceName(browser), values: [instances] }))}
      />
      <Figures
        title={t('usage.reviewers')}
        name={'reviewers'}
        heads={[
          t('reviews.reviewer'),
          t('reviews.APPROVED'),
          t('reviews.REJECTED'),
          t('reviews.ASKED_AGAIN'),
          t('usage.waited'),
        ]}
        rows={reviewers.map(({ reviewer, approved, rejected, askedAgain, waitedSeconds }) => ({
          label: reviewer,
          values: [approved, rejected, askedAgain],
          texts: [durationText(waitedSeconds, language)],
        }))}
      />
    </Stack>
  );
}

/** The most important figures. */
function KeyFigures({ usage: { total, agreement, secondsToEnd } }: { usage: UsageView }) {
  const { t, language } = useTexts();
  const decisions = total.accepted + total.declined;
  const numbers = [
    { label: t('usage.created'), value: String(total.created) },
    { label: t('usage.passRate'), value: percent(total.accepted, decisions) },
    { label: t('usage.median'), value: durationText(secondsToEnd.median, language) },
    { label: t('usage.ninety'), value: durationText(secondsToEnd.ninetyPercent, language) },
    { label: t('usage.agreement', { n: agreement.cases }), value: percent(agreement.agreed, agreement.cases) },
  ];
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }}>
      {numbers.map(({ label, value }) => (
        <div className="card" key={label}>
          <Text size="sm" c="dimmed">
            {label}
          </Text>
          <div className="number">
            <bdi>{value}</bdi>
          </div>
        </div>
      ))}
    </SimpleGrid>
  );
}

/** The steps of the newest deployed version: how many people see, finish and leave each. */
function Funnel({ definition }: { definition: string | undefined }) {
  const t = useT();
  const may = useMay();
  const environment = useEnvironment();
  const isAllowed = may('funnels', 'get') && may('processDefinitions', 'list') && definition !== undefined;
  const { data } = useQuery({
    queryKey: [environment, 'funnel', definition],
    enabled: isAllowed,
    queryFn: async () => {
      const query = { name: definition, status: 'DEPLOYED_ACTIVE' as const, size: 1, sort: ['version,desc'] };
      const [newest] = (await call('processDefinitions', 'list', { query })).content;
      return newest ? call('funnels', 'get', { params: { processDefinitionId: newest.id } }) : null;
    },
  });
  if (!data) return null;
  return (
    <Figures
      title={t('usage.funnel', { name: `${data.processDefnName} v${data.processDefnVersion}` })}
      name="funnel"
      heads={[
        t('usage.step'),
        t('usage.seen'),
        t('check.PASSED'),
        t('check.FAILED'),
        t('check.REVIEW'),
        t('usage.left'),
      ]}
      bars={[{ at: 0, color: 'teal.7' }]}
      rows={data.steps.map(({ step, seen: views, passed, failed, review, left }) => ({
        label: step,
        values: [views, passed, failed, review, left],
      }))}
    />
  );
}

function figureOf(label: string, counts: Counts): Figure {
  const { created, accepted, declined, inReview, abandoned, failed, open } = counts;
  return { label, values: [created, accepted, declined, inReview, abandoned, failed, open] };
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((1000 * part) / whole) / 10} %`;
}
