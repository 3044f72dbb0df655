import { Alert, Anchor, Button, Group, NativeSelect, Progress, Select, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type ArgumentsOf, call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { useAct } from '../parts/act.ts';
import { Tag } from '../parts/badges.tsx';
import { saveCsv } from '../parts/csv.ts';
import { Page } from '../parts/page.tsx';
import { ShadowVersions } from '../parts/shadow-versions.tsx';
import { Empty, Guarded } from '../parts/states.tsx';
import { type TextKey, useT } from '../texts/texts.tsx';

type Answer = Result<'whatIf', 'run'>;
type Total = Pick<Answer, 'examined' | 'counts' | 'changed'>;
type Document = NonNullable<ArgumentsOf<'whatIf', 'run'>['body']>['definition'];

const DAY_MS = 86_400_000;
const EXAMINED_AT_ONCE = 5000;
const MAX_SHOWN = 200;
const TONES = { PASS: 'good', FAIL: 'bad', REVIEW: 'wait', UNFINISHED: 'plain', NOT_KNOWN: 'plain' } as const;

/** Decides past verifications again by another version of their definition. */
export function WhatIf() {
  const t = useT();
  const environment = useEnvironment();
  const navigate = useNavigate();
  const { definition, days = '30' } = useSearch({ strict: false }) as { definition?: string; days?: string };
  const [total, setTotal] = useState<Total>();
  const [isRunning, setRunning] = useState(false);
  const definitions = useQuery({
    queryKey: [environment, 'definitions', 'all'],
    queryFn: () => call('processDefinitions', 'list', { query: { size: 200, sort: ['name,asc', 'version,desc'] } }),
    enabled: useMay()('processDefinitions', 'list'),
  });
  const go = (next: object) => navigate({ to: '/what-if', search: { definition, days, ...next } as never });
  const run = useAct(async () => {
    setRunning(true);
    setTotal(undefined);
    try {
      const { document } = await call('processDefinitions', 'get', {
        params: { processDefinitionId: definition ?? '' },
      });
      await replayAll(document as unknown as Document, Number(days), setTotal);
    } finally {
      setRunning(false);
    }
  });
  return (
    <Guarded group="whatIf" name="run">
      <Page title={t('whatIf.title')}>
        <Text size="sm">{t('whatIf.lead')}</Text>
        <Group align="flex-end">
          <Select
            className="grow"
            label={t('whatIf.version')}
            searchable
            data={(definitions.data?.content ?? []).map(({ id, name, version, status }) => ({
              value: id,
              label: `${name} v${version}${status === 'EDITABLE' ? ` (${t('whatIf.draft')})` : ''}`,
            }))}
            value={definition ?? null}
            onChange={(next) => go({ definition: next ?? undefined })}
          />
          <NativeSelect
            label={t('usage.period')}
            value={days}
            data={['7', '30', '90', '365'].map((value) => ({ value, label: t('usage.days', { n: Number(value) }) }))}
            onChange={(event) => go({ days: event.currentTarget.value })}
          />
          <Button onClick={() => run.mutate(undefined)} disabled={!definition} loading={isRunning}>
            {t('whatIf.run')}
          </Button>
        </Group>
        {isRunning && <Progress value={100} animated aria-label={t('app.loading')} />}
        {total && <ReplayReport total={total} isOver={!isRunning} />}
        <ShadowVersions definition={definition} />
      </Page>
    </Guarded>
  );
}

/** Fetches the result in parts, and shows each as soon as it arrives. */
async function replayAll(definition: Document, days: number, show: (total: Total) => void): Promise<void> {
  const startDateTime = new Date(Date.now() - days * DAY_MS).toISOString();
  const total: Total = { examined: 0, counts: [], changed: [] };
  for (let after: string | undefined, isMore = true; isMore; isMore = after !== undefined) {
    const body = { definition, startDateTime, size: EXAMINED_AT_ONCE, ...(after !== undefined && { after }) };
    const part: Answer = await call('whatIf', 'run', { body });
    total.examined += part.examined;
    total.changed.push(...part.changed);
    for (const { instances, ...of } of part.counts) {
      const count = total.counts.find((each) => keyOf(each) === keyOf(of));
      if (count) count.instances += instances;
      else total.counts.push({ ...of, instances });
    }
    show({ ...total });
    after = part.next;
  }
}

const keyOf = ({ recorded, outcome, verdict }: { recorded: string; outcome: string; verdict: string }) =>
  `${recorded} ${outcome} ${verdict}`;

function OutcomeTag({ outcome }: { outcome: keyof typeof TONES }) {
  const t = useT();
  return <Tag tone={TONES[outcome]}>{t(`whatIf.${outcome}`)}</Tag>;
}

const VERDICTS: Record<string, TextKey> = { APPROVED: 'reviews.APPROVED', REJECTED: 'reviews.REJECTED' };

/** The verdict of the reviewer, if there was one. */
function useVerdictText() {
  const t = useT();
  return (verdict: string) => (VERDICTS[verdict] ? t(VERDICTS[verdict]) : '–');
}

function ReplayReport({ total, isOver }: { total: Total; isOver: boolean }) {
  const t = useT();
  const { examined, counts, changed } = total;
  if (examined === 0 && isOver) return <Empty title={t('whatIf.none')} />;
  return (
    <Stack>
      <Alert variant="light" color={changed.length === 0 ? 'teal' : 'yellow'} role="status">
        {t('whatIf.summary', { examined, changed: changed.length })}
      </Alert>
      <CountsTable counts={counts} />
      {changed.length > 0 && <ChangedInstances changed={changed} />}
    </Stack>
  );
}

function CountsTable({ counts }: Pick<Total, 'counts'>) {
  const t = useT();
  const verdictText = useVerdictText();
  return (
    <Table className="list" verticalSpacing={6}>
      <caption className="hidden">{t('whatIf.title')}</caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('whatIf.recorded')}</Table.Th>
          <Table.Th>{t('whatIf.wouldBe')}</Table.Th>
          <Table.Th>{t('whatIf.reviewers')}</Table.Th>
          <Table.Th>{t('usage.instances')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {counts
          .toSorted((one, other) => other.instances - one.instances)
          .map((each) => (
            <Table.Tr key={keyOf(each)}>
              <Table.Td data-title={t('whatIf.recorded')}>
                <OutcomeTag outcome={each.recorded} />
              </Table.Td>
              <Table.Td data-title={t('whatIf.wouldBe')}>
                <OutcomeTag outcome={each.outcome} />
              </Table.Td>
              <Table.Td data-title={t('whatIf.reviewers')}>{verdictText(each.verdict)}</Table.Td>
              <Table.Td data-title={t('usage.instances')}>{each.instances}</Table.Td>
            </Table.Tr>
          ))}
      </Table.Tbody>
    </Table>
  );
}

function ChangedInstances({ changed }: Pick<Total, 'changed'>) {
  const t = useT();
  const verdictText = useVerdictText();
  const save = () =>
    saveCsv('what-if', [
      ['processInstanceId', 'recorded', 'outcome', 'verdict', 'because'],
      ...changed.map((each) => [each.processInstanceId, each.recorded, each.outcome, each.verdict, each.because ?? '']),
    ]);
  return (
    <section>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {t('whatIf.changed')}
        </Title>
        <Button size="compact-xs" variant="default" onClick={save}>
          {t('app.export')}
        </Button>
      </Group>
      <Table className="list" verticalSpacing={6}>
        <Table.Tbody>
          {changed.slice(0, MAX_SHOWN).map((each) => (
            <Table.Tr key={each.processInstanceId}>
              <Table.Td data-title={t('nav.instances')}>
                <Anchor component={Link} to={`/instances/${each.processInstanceId}`} size="sm">
                  {each.processInstanceId}
                </Anchor>
              </Table.Td>
              <Table.Td data-title={t('whatIf.recorded')}>
                <OutcomeTag outcome={each.recorded} />
              </Table.Td>
              <Table.Td data-title={t('whatIf.wouldBe')}>
                <OutcomeTag outcome={each.outcome} />
              </Table.Td>
              <Table.Td data-title={t('whatIf.reviewers')}>{verdictText(each.verdict)}</Table.Td>
              <Table.Td data-title={t('audit.details')}>
                <Text size="xs">{each.because ?? ''}</Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
