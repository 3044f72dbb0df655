import { Button, List, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type ArgumentsOf, call, type Result } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import type { TranslatePerson } from '../texts/persons.ts';
import { useAct } from './act.ts';
import { ConfirmByTyping } from './dialogs.tsx';

export type Selectors = NonNullable<ArgumentsOf<'personRequests', 'erase'>['body']>;

/** All values by which the person is searched. */
export function valuesOf({ email, externalId, userId, parameter }: Selectors): string[] {
  return [email, externalId, userId, parameter?.value].filter((value) => value !== undefined);
}

type ErasePersonProps = {
  p: TranslatePerson;
  selectors: Selectors;
  onStarted(request: Result<'personRequests', 'get'>): void;
};

/** Erases everything that the same values find, after the first of them was typed again. */
export function ErasePerson({ p, selectors, onStarted }: ErasePersonProps) {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const erase = useAct(
    () => call('personRequests', 'erase', { body: selectors }),
    (request) => {
      setOpen(false);
      onStarted(request);
    },
  );
  const values = valuesOf(selectors);
  if (!may('personRequests', 'erase')) return null;
  return (
    <>
      <Button color="red.9" onClick={() => setOpen(true)}>
        {p('erase')}
      </Button>
      <ConfirmByTyping
        title={p('eraseTitle')}
        lead={<WhatIsErased p={p} values={values} />}
        expected={values[0] ?? ''}
        submitLabel={p('eraseSubmit')}
        opened={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={() => erase.mutate(undefined)}
        isBusy={erase.isPending}
      />
    </>
  );
}

function WhatIsErased({ p, values }: { p: TranslatePerson; values: readonly string[] }) {
  return (
    <Stack gap="xs">
      <Text size="sm">{p('eraseLead')}</Text>
      <List size="sm" fw={600}>
        {values.map((value) => (
          <List.Item key={value} className="wrap">
            <bdi>{value}</bdi>
          </List.Item>
        ))}
      </List>
      <List size="sm">
        <List.Item>{p('eraseInstances')}</List.Item>
        <List.Item>{p('eraseUsers')}</List.Item>
        <List.Item>{p('eraseTokens')}</List.Item>
      </List>
      <Text size="sm">{p('eraseType')}</Text>
    </Stack>
  );
}
