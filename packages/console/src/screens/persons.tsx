import { Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type ArgumentsOf, call, type Result } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useAct } from '../parts/act.ts';
import { useFilters } from '../parts/filters.tsx';
import { Page } from '../parts/page.tsx';
import { ErasePerson, type Selectors } from '../parts/person-erasure.tsx';
import { EarlierRequests } from '../parts/person-history.tsx';
import { PersonRequest } from '../parts/person-request.tsx';
import { SectionHead } from '../parts/section-head.tsx';
import { Guarded, Waiting } from '../parts/states.tsx';
import { type TranslatePerson, usePersonTexts } from '../texts/persons.ts';
import { useT } from '../texts/texts.tsx';

/** Finds, exports and erases everything about one person. The address names the request, and never the person. */
export function Persons() {
  const t = useT();
  const texts = usePersonTexts();
  return (
    <Guarded group="personRequests" name="get">
      <Page title={t('persons.title')}>{texts ? <Requests p={texts} /> : <Waiting />}</Page>
    </Guarded>
  );
}

type NewRequest = NonNullable<ArgumentsOf<'personRequests', 'find'>['body']>;
type OwnRequest = { id: string; selectors: Selectors };

function Requests({ p }: { p: TranslatePerson }) {
  const may = useMay();
  const { filters, set } = useFilters<'request'>();
  /** The person of the request on this screen, because the server does not store it. */
  const [ownRequest, setOwnRequest] = useState<OwnRequest>();
  const onStarted = (selectors: Selectors) => (request: Result<'personRequests', 'get'>) => {
    setOwnRequest({ id: request.id, selectors });
    set({ request: request.id });
  };
  const selectors = ownRequest?.id === filters.request ? ownRequest?.selectors : undefined;
  return (
    <>
      <Text size="sm">{p('lead')}</Text>
      {(may('personRequests', 'find') || may('personRequests', 'erase')) && <Form p={p} onStarted={onStarted} />}
      {filters.request && (
        <PersonRequest key={filters.request} p={p} id={filters.request} selectors={selectors} onStarted={onStarted} />
      )}
      {may('auditEvents', 'list') && <EarlierRequests p={p} />}
    </>
  );
}

const FIELDS = [
  { name: 'email', maxLength: 254 },
  { name: 'externalId', maxLength: 255 },
  { name: 'userId', maxLength: 64 },
  { name: 'parameterName', maxLength: 64 },
  { name: 'parameterValue', maxLength: 2000 },
  { name: 'reference', maxLength: 100 },
] as const;
type Values = Record<(typeof FIELDS)[number]['name'], string>;
const NO_VALUES: Values = {
  email: '',
  externalId: '',
  userId: '',
  parameterName: '',
  parameterValue: '',
  reference: '',
};

/** Undefined while no value is typed. */
function requestOf(values: Values): NewRequest | undefined {
  const email = values.email.trim();
  const externalId = values.externalId.trim();
  const userId = values.userId.trim();
  const reference = values.reference.trim();
  const name = values.parameterName.trim();
  const value = values.parameterValue;
  if ((name === '') !== (value === '')) return undefined;
  if (!email && !externalId && !userId && !name) return undefined;
  return {
    ...(email && { email }),
    ...(externalId && { externalId }),
    ...(userId && { userId }),
    ...(name && { parameter: { name, value } }),
    ...(reference && { reference }),
  };
}

type FormProps = {
  p: TranslatePerson;
  onStarted(selectors: Selectors): (request: Result<'personRequests', 'get'>) => void;
};

function Form({ p, onStarted }: FormProps) {
  const may = useMay();
  const [values, setValues] = useState(NO_VALUES);
  const request = requestOf(values);
  const find = useAct(
    (body: NewRequest) => call('personRequests', 'find', { body }),
    (answer, body) => onStarted(body)(answer),
  );
  const canFind = may('personRequests', 'find');
  return (
    <section>
      <SectionHead title={p('who')} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (request && canFind) find.mutate(request);
        }}
      >
        <Stack>
          <Text size="sm" c="dimmed">
            {p('whoHint')}
          </Text>
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
            {FIELDS.map(({ name, maxLength }) => (
              <TextInput
                key={name}
                label={p(name)}
                description={p(`${name}Hint`)}
                value={values[name]}
                onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
                maxLength={maxLength}
                autoComplete="off"
                dir="auto"
              />
            ))}
          </SimpleGrid>
          <Group>
            {canFind && (
              <Button type="submit" disabled={!request} loading={find.isPending}>
                {p('find')}
              </Button>
            )}
            {!canFind && request && <ErasePerson p={p} selectors={request} onStarted={onStarted(request)} />}
            <Button variant="default" onClick={() => setValues(NO_VALUES)}>
              {p('forget')}
            </Button>
          </Group>
        </Stack>
      </form>
    </section>
  );
}
