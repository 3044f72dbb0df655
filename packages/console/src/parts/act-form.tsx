import { Button, Group, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';

type ActFormProps = {
  act: { mutate(input: undefined): void; isPending: boolean };
  submitLabel: string;
  isDisabled?: boolean;
  children: ReactNode;
};

/** A form with a button that performs one action. */
export function ActForm({ act, submitLabel, isDisabled = false, children }: ActFormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    act.mutate(undefined);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {children}
        <Group justify="flex-end">
          <Button type="submit" loading={act.isPending} disabled={isDisabled}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
