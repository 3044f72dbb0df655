import { identityEvents } from 'virtual:grove-identity-events';
import { Button, Group, NumberInput, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useAct } from '../parts/act.ts';
import { saveCsv } from '../parts/csv.ts';
import { dayStart } from '../parts/day-start.ts';
import { EventResults, linesOf } from '../parts/event-results.tsx';
import { DayFields } from '../parts/filters.tsx';
import { Page } from '../parts/page.tsx';
import { SavedViews } from '../parts/saved-views.tsx';
import { Empty, Guarded } from '../parts/states.tsx';
import { useHints } from '../texts/hints.ts';
import { type TextKey, useT } from '../texts/texts.tsx';

type Answer = Result<'events', 'getQueryResult'>;

/** The seven filters of the specification, and the user. Names are compared with `%` and `_`; the others exactly. */
const FILTERS = [
  { name: 'parentProcessInstanceId', isLike: false },
  { name: 'parentProcessDefnId', isLike: false },
  { name: 'parentProcessDefnName', isLike: true },
  { name: 'parentProcessDefnVersion', isLike: false },
  { name: 'childProcessDefnName', isLike: true },
  { name: 'childProcessDefnVersion', isLike: false },
  { name: 'childProcessDefnTag', isLike: true },
  { name: 'userId', isLike: false },
] as const;

const WORDS: Readonly<Record<string, TextKey>> = { SUCCEEDED: 'word.DONE', FAILED: 'word.FAILED' };
const POLL_MS = 500;
const MAX_POLLS = 120;
/** The maximum number of rows in the table; larger results need narrower filters or the API. */
const MAX_SHOWN = 5000;

/** Aligns the inputs of a row, however long their descriptions are. */
const INPUT_FIRST: ('label' | 'input' | 'description')[] = ['label', 'input', 'description'];

type Search = Readonly<Record<string, string | undefined>>;

/** Starts a query and polls for its result. Further pages are appended. */
function useEventQuery(search: Search, size: number) {
  const [answer, setAnswer] = useState<Answer>();
  const [executionId, setExecutionId] = useState('');
  const run = useAct(async () => {
    const filters = [...FILTERS.map(({ name }) => name), 'type'].flatMap((name) =>
      search[name] ? [[name, search[name]]] : [],
    );
    const range = { startDateTime: dayStart(search.from, 0), endDateTime: dayStart(search.to, 1) };
    const body = { size, ...range, ...Object.fromEntries(filters) };
    const { executionId: id } = await call('events', 'startQuery', { body });
    setExecutionId(id);
    for (let polls = 0; polls < MAX_POLLS; polls += 1) {
      const queryResult = await call('events', 'getQueryResult', { params: { executionId: id }, query: { size } });
      setAnswer(queryResult);
      if (queryResult.status === 'SUCCEEDED' || queryResult.status === 'FAILED') return;
      await new Promise((done) => setTimeout(done, POLL_MS));
    }
  });
  const more = useAct(async () => {
    if (!answer?.nextToken) return;
    const query = { size, nextToken: answer.nextToken };
    const next = await call('events', 'getQueryResult', { params: { executionId }, query });
    setAnswer({ ...next, results: [...answer.results, ...next.results] });
  });
  return { answer, run, more };
}

export function EventQueries() {
  const t = useT();
  const search = useSearch({ strict: false }) as Search;
  const [size, setSize] = useState(100);
  const { answer, run, more } = useEventQuery(search, size);
  const rows = answer?.results ?? [];
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
          <Fields search={search} size={size} setSize={setSize} />
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
              <Button variant="default" onClick={() => saveCsv('events', linesOf(rows))}>
                {t('app.export')}
              </Button>
            )}
          </Group>
        </form>
        {answer?.status === 'SUCCEEDED' && rows.length === 0 && <Empty title={t('state.emptyFilter')} />}
        {rows.length > 0 && <EventResults rows={rows} />}
        {answer?.nextToken && rows.length < MAX_SHOWN && (
          <Group justify="center">
            <Button variant="default" loading={more.isPending} onClick={() => more.mutate(undefined)}>
              {t('definitions.more')}
            </Button>
          </Group>
        )}
      </Page>
    </Guarded>
  );
}

type FieldsProps = { search: Search; size: number; setSize(size: number): void };

function Fields({ search, size, setSize }: FieldsProps) {
  const t = useT();
  const hints = useHints();
  const navigate = useNavigate();
  const set = (name: string, value: string) =>
    navigate({ to: '/events', search: { ...search, [name]: value || undefined } as never, replace: true });
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
      {FILTERS.map(({ name, isLike }) => (
        <TextInput
          key={name}
          label={hints?.(name) ?? name}
          description={`${name} · ${t(isLike ? 'events.like' : 'events.exact')}`}
          value={search[name] ?? ''}
          onChange={(event) => set(name, event.currentTarget.value)}
          maxLength={isLike ? 100 : 50}
          inputWrapperOrder={INPUT_FIRST}
        />
      ))}
      <Select
        label={hints?.('type')}
        description="type"
        inputWrapperOrder={INPUT_FIRST}
        data={identityEvents.map((value) => ({ value, label: hints?.(value) ?? value }))}
        value={search.type ?? null}
        onChange={(type) => set('type', type ?? '')}
        placeholder={hints?.('anyType')}
        searchable
        clearable
      />
      <DayFields />
      <NumberInput
        label={t('events.size')}
        value={size}
        min={1}
        max={1000}
        onChange={(next) => setSize(Number(next) || 100)}
      />
    </SimpleGrid>
  );
}
