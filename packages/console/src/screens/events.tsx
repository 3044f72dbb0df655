import { Anchor, Button, Code, Group, NumberInput, SimpleGrid, Table, Text, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useAct } from '../parts/act.ts';
import { saveCsv } from '../parts/csv.ts';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { SavedViews } from '../parts/saved-views.tsx';
import { Empty, Guarded } from '../parts/states.tsx';
import { type TextKey, useT } from '../texts/texts.tsx';

type Answer = Result<'events', 'getQueryResult'>;

/** The seven filters of the specification. Names are compared with `%` and `_`; the others exactly. */
const FILTERS = [
  { name: 'parentProcessInstanceId', isLike: false },
  { name: 'parentProcessDefnId', isLike: false },
  { name: 'parentProcessDefnName', isLike: true },
  { name: 'parentProcessDefnVersion', isLike: false },
  { name: 'childProcessDefnName', isLike: true },
  { name: 'childProcessDefnVersion', isLike: false },
  { name: 'childProcessDefnTag', isLike: true },
] as const;

const WORDS: Readonly<Record<string, TextKey>> = { SUCCEEDED: 'word.DONE', FAILED: 'word.FAILED' };
const POLL_MS = 500;
const MAX_POLLS = 120;

type Search = Readonly<Record<string, string | undefined>>;

/** Starts a query and asks for its result until there is one. */
function useEventQuery(search: Search, size: number) {
  const [answer, setAnswer] = useState<Answer>();
  const run = useAct(async () => {
    const filters = FILTERS.flatMap(({ name }) => (search[name] ? [[name, search[name]]] : []));
    const { executionId } = await call('events', 'startQuery', { body: { size, ...Object.fromEntries(filters) } });
    for (let polls = 0; polls < MAX_POLLS; polls += 1) {
      const queryResult = await call('events', 'getQueryResult', { params: { executionId }, query: { size } });
      setAnswer(queryResult);
      if (queryResult.status === 'SUCCEEDED' || queryResult.status === 'FAILED') return;
      await new Promise((done) => setTimeout(done, POLL_MS));
    }
  });
  return { answer, run };
}

export function EventQueries() {
  const t = useT();
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as Search;
  const [size, setSize] = useState(100);
  const { answer, run } = useEventQuery(search, size);
  const set = (name: string, value: string) =>
    navigate({ to: '/events', search: { ...search, [name]: value || undefined } as never, replace: true });
  const rows = (answer?.results ?? []) as unknown as Record<string, unknown>[];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, 8);
  return (
    <Guarded group="events" name="startQuery">
      <Page title={t('events.title')}>
        <SavedViews screen="events" />
        <form
          onSubmit={(event) => {
            event.preventDefault();
            run.mutate(undefined);
          }}
        >
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
            {FILTERS.map(({ name, isLike }) => (
              <TextInput
                key={name}
                label={name}
                description={t(isLike ? 'events.like' : 'events.exact')}
                value={search[name] ?? ''}
                onChange={(event) => set(name, event.currentTarget.value)}
                maxLength={100}
              />
            ))}
            <NumberInput
              label={t('events.size')}
              description={'\u00a0'}
              value={size}
              min={1}
              max={1000}
              onChange={(next) => setSize(Number(next) || 100)}
            />
          </SimpleGrid>
          <Group mt="md">
            <Button type="submit" loading={run.isPending}>
              {t('events.run')}
            </Button>
            {answer && (
              <Text size="sm" role="status">
                {t(WORDS[answer.status] ?? 'word.RUNNING')} · {t('app.total', { n: rows.length })}
              </Text>
            )}
            {rows.length > 0 && (
              <Button
                variant="default"
                onClick={() =>
                  saveCsv('events', [columns, ...rows.map((row) => columns.map((name) => textOf(row[name])))])
                }
              >
                {t('app.export')}
              </Button>
            )}
          </Group>
        </form>
        {answer?.status === 'SUCCEEDED' && rows.length === 0 && <Empty title={t('state.emptyFilter')} />}
        {rows.length > 0 && <Results rows={rows} columns={columns} />}
      </Page>
    </Guarded>
  );
}

const textOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');

type ResultsProps = { rows: readonly Record<string, unknown>[]; columns: readonly string[] };

function Results({ rows, columns }: ResultsProps) {
  const t = useT();
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table className="list" verticalSpacing="sm">
        <caption className="hidden">{t('events.title')}</caption>
        <Table.Thead>
          <Table.Tr>
            {columns.map((name) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={JSON.stringify(row)}>
              {columns.map((name) => (
                <Table.Td key={name} data-title={name}>
                  <Value name={name} value={row[name]} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** A verification is a link, a time is that of the viewer, and an object is shown as it is. */
function Value({ name, value }: { name: string; value: unknown }) {
  const text = textOf(value);
  if (name.endsWith('ProcessInstanceId') && value) {
    return (
      <Anchor component={Link} to={`/instances/${text}`} size="sm">
        {text}
      </Anchor>
    );
  }
  if (name.endsWith('Dtm') && value) return <Moment at={text} />;
  return typeof value === 'object' && value !== null ? (
    <Code className="wrap">{text}</Code>
  ) : (
    <Text size="sm">{text}</Text>
  );
}
