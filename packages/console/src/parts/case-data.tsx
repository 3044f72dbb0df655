import { Group, Stack, Table, Text, Timeline, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CallError, call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useExplain, useNames } from '../texts/reasons.ts';
import { useT, useTexts } from '../texts/texts.tsx';
import { CheckTag, Tag } from './badges.tsx';
import { durationText } from './duration.ts';
import { Moment } from './moment.tsx';
import { Failed, Waiting } from './states.tsx';

/** The data of one verification: values side by side, checks in plain words, and events. */
export type InstanceRef = { processDefnId: string; processInstanceId: string };
export type UserData = Result<'userData', 'get'>;
export type Check = Result<'userData', 'listChecks'>[number];

/** What the role permits. With `isHidden` no personal data is requested, so no view is recorded. */
export type CaseAccess = { seeData: boolean; seeEvents: boolean; isHidden?: boolean };

type WithParameters = Result<'processInstances', 'getWithParameters'>;
type CaseInstance = Pick<WithParameters, keyof Result<'processInstances', 'get'> & keyof WithParameters> &
  Pick<WithParameters, 'processTokenParameters'> & { redactedDtm?: string };

const REDACTED = 100364;

/** If the personal data was redacted or is hidden, the instance has only the columns of lists. */
async function fetchInstance(processInstanceId: string, isHidden: boolean): Promise<CaseInstance> {
  const params = { processInstanceId };
  const fetchPlain = async () => ({
    ...(await call('processInstances', 'get', { params })),
    processTokenParameters: {},
  });
  if (isHidden) return fetchPlain();
  return call('processInstances', 'getWithParameters', { params }).catch((error: unknown) => {
    if (error instanceof CallError && error.code === REDACTED) return fetchPlain();
    throw error;
  });
}

/** Loads all data of a case in one query, so that the next case can be loaded in advance. */
export async function loadCase(processInstanceId: string, { seeData, seeEvents, isHidden = false }: CaseAccess) {
  const instance = await fetchInstance(processInstanceId, isHidden);
  const params = { processDefnId: instance.processDefnId, processInstanceId };
  const [data, checks, events] = await Promise.all([
    seeData && !isHidden && !instance.redactedDtm ? call('userData', 'get', { params }) : undefined,
    seeData ? call('userData', 'listChecks', { params }) : [],
    seeEvents
      ? call('processInstances', 'listEvents', { params: { processInstanceId }, query: { size: 100 } })
      : undefined,
  ]);
  return { instance, data, checks, events: events?.content ?? [] };
}

export type Case = Awaited<ReturnType<typeof loadCase>>;

const CONSENT = 'consent.';

export function Forms({ caseFile }: { caseFile: Case }) {
  const names = useNames();
  const answerText = useAnswerText();
  /** A consent is stored like the answers of a form, and its members have names in the texts. */
  const nameOf = (answers: object, field: string) =>
    'textVersion' in answers ? names('fields', `${CONSENT}${field}`).replace(CONSENT, '') : field;
  const forms = Object.entries(caseFile.data?.forms ?? {});
  return forms.map(([key, answers]) => (
    <Table withTableBorder key={key}>
      <Table.Tbody>
        {Object.entries(answers).map(([field, answer]) => (
          <Table.Tr key={field}>
            <Table.Td>
              <Text size="sm" c="dimmed">
                {nameOf(answers, field)}
              </Text>
            </Table.Td>
            <Table.Td>
              <bdi>{answerText(answer)}</bdi>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  ));
}

function useAnswerText(): (answer: unknown) => string {
  const t = useT();
  return (answer) => {
    if (typeof answer === 'boolean') return t(answer ? 'case.yes' : 'case.no');
    return typeof answer === 'string' ? answer : JSON.stringify(answer);
  };
}

const WEIGHT: Record<string, number> = { FAILED: 0, REVIEW: 1, NOT_PERFORMED: 2, PASSED: 3 };

/** Shows the checks that did not pass first. */
export function Checks({ checks }: { checks: readonly Check[] }) {
  const t = useT();
  const names = useNames();
  const sorted = checks.toSorted((one, other) => (WEIGHT[one.status] ?? 9) - (WEIGHT[other.status] ?? 9));
  return (
    <Stack gap="xs" component="ul" className="plain-list">
      {sorted.map((check) => (
        <li key={check.id} className="card check">
          <Text size="sm" fw={600}>
            {names('checks', check.name)} <CheckTag status={check.status} />
          </Text>
          <Text size="xs" c="dimmed">
            {check.step}
            {check.score !== undefined && ` · ${scoreText(t, check)}`}
            {check.attempts > 1 && ` · ${t('check.attempts', { n: check.attempts })}`}
          </Text>
          <Explanation check={check} />
          <Signals check={check} />
        </li>
      ))}
    </Stack>
  );
}

function Explanation({ check }: { check: Check }) {
  const { why, change } = useExplain()(check);
  return (
    <>
      {why && <Text size="sm">{why}</Text>}
      {change && check.status !== 'PASSED' && (
        <Text size="sm" c="dimmed">
          {change}
        </Text>
      )}
    </>
  );
}

/** What the browser reports about the source of the pictures. It proves nothing and decides nothing. */
function Signals({ check: { metaData = {} } }: { check: Check }) {
  const names = useNames();
  const signals = [metaData.client, metaData.hints].flat().filter((signal) => typeof signal === 'string');
  if (signals.length === 0) return null;
  return (
    <Group gap={4} mt={4}>
      {signals.map((signal) => (
        <Tag key={signal} tone="wait">
          {names('signals', signal)}
        </Tag>
      ))}
    </Group>
  );
}

function scoreText(t: ReturnType<typeof useT>, { score = 0, threshold }: Check): string {
  const rounded = Math.round(score * 100) / 100;
  return threshold === undefined
    ? t('check.scoreAlone', { score: rounded })
    : t('check.score', { score: rounded, threshold });
}

export function EventList({ events }: { events: Case['events'] }) {
  const t = useT();
  const names = useNames();
  return (
    <section>
      <Title order={2} size="h5" mb="sm">
        {t('case.timeline')}
      </Title>
      <Timeline bulletSize={12} lineWidth={2}>
        {events.map((event, at) => (
          <Timeline.Item
            key={event.sequence}
            title={`${names('events', event.type.replace('instance.', ''))}${event.step ? ` · ${event.step}` : ''}`}
          >
            <Text size="xs" c="dimmed">
              <Moment at={event.dateTime} /> <StepTime event={event} earlier={events.slice(0, at)} />
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </section>
  );
}

type CaseEvent = Case['events'][number];

/** The time for which the person saw the step. */
function StepTime({ event, earlier }: { event: CaseEvent; earlier: readonly CaseEvent[] }) {
  const { language } = useTexts();
  const names = useNames();
  if (event.type !== 'instance.stepCompleted') return null;
  const view = earlier.findLast(({ type, step }) => type === 'instance.stepSeen' && step === event.step);
  if (!view) return null;
  const seconds = (Date.parse(event.dateTime) - Date.parse(view.dateTime)) / 1000;
  return `· ${names('events', 'took')} ${durationText(seconds, language)}`;
}

/** The key of a case's query, which holds personal data. */
export const caseKey = (environment: string, id: string) => [environment, 'case', id];

export function useCase(id: string, access: CaseAccess) {
  const environment = useEnvironment();
  return useQuery({
    queryKey: [...caseKey(environment, id), ...(access.isHidden ? ['hidden'] : [])],
    queryFn: () => loadCase(id, access),
    staleTime: 30_000,
  });
}

export function CaseStates({ query }: { query: ReturnType<typeof useCase> }) {
  if (query.isPending) return <Waiting />;
  return <Failed error={query.error} retry={() => query.refetch()} />;
}
