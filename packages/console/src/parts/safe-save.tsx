import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { CallError, CHANGED_MEANWHILE } from '../api/client.ts';
import { useT } from '../texts/texts.tsx';
import { useOneAtATime } from './act.ts';
import { Dialog } from './dialogs.tsx';
import { Diff } from './diff.tsx';

type SafeSave<R> = {
  /** Stores the change. `isSure` overwrites the other operator's change, after the difference was shown. */
  save(isSure: boolean): Promise<R>;
  /** Fetches the stored object, as far as it can be edited here. */
  fetchTheirs(): Promise<object>;
  /** The object that would be stored. */
  mine: object;
  onSaved(result: R): void;
  /** Called when the operator gives up their own change. */
  onTheirs(): void;
};

type SaveResult<R> = { saved: { result: R } } | { theirs: object };

/**
 * Saves a form. If somebody else has changed the object since it was read, nothing is overwritten before the operator
 * has seen the difference.
 */
export function useSafeSave<R>({ save, fetchTheirs, mine, onSaved, onTheirs }: SafeSave<R>) {
  const t = useT();
  const client = useQueryClient();
  const [theirs, setTheirs] = useState<object>();
  const act = useOneAtATime({
    mutationFn: async (isSure: boolean): Promise<SaveResult<R>> => {
      try {
        return { saved: { result: await save(isSure) } };
      } catch (error) {
        if (!(error instanceof CallError) || error.code !== CHANGED_MEANWHILE) throw error;
        return { theirs: await fetchTheirs() };
      }
    },
    onSuccess: (answer) => {
      setTheirs('theirs' in answer ? answer.theirs : undefined);
      if (!('saved' in answer)) return undefined;
      onSaved(answer.saved.result);
      return client.invalidateQueries();
    },
  });
  // The form shows the cached object, so it appears again only after the other version was fetched.
  const takeTheirs = useMutation({
    mutationFn: () => client.invalidateQueries(),
    onSuccess: () => {
      setTheirs(undefined);
      onTheirs();
    },
  });
  const conflict: ReactNode = theirs && (
    <Dialog opened onClose={() => setTheirs(undefined)} title={t('conflict.title')} size="lg">
      <Stack>
        <Text size="sm">{t('conflict.lead')}</Text>
        <Diff before={textOf(theirs)} after={textOf(mine)} label={t('conflict.title')} />
        <Group justify="flex-end">
          <Button variant="default" loading={takeTheirs.isPending} onClick={() => takeTheirs.mutate()}>
            {t('diff.theirs')}
          </Button>
          <Button color="red.9" loading={act.isPending} onClick={() => act.mutate(true)}>
            {t('diff.mine')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
  const form = { mutate: () => act.mutate(false), isPending: act.isPending };
  return { act: form, conflict };
}

/** Formats an object with sorted members, so that only values differ. */
function textOf(object: object): string {
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  return JSON.stringify(Object.fromEntries(members.toSorted(([one], [other]) => (one < other ? -1 : 1))), null, 2);
}
