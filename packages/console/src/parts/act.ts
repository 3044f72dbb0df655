import { notifications } from '@mantine/notifications';
import { type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { isSessionOver } from '../api/client.ts';
import { useErrorText, useT } from '../texts/texts.tsx';

/**
 * A call that changes data on the server. A failure is shown, and after a success all queries are fetched again: those of
 * the screen that `onDone` has led to, so that nothing is asked for that is gone.
 */
export function useAct<A, R>(act: (input: A) => Promise<R>, onDone?: (result: R, input: A) => unknown) {
  const client = useQueryClient();
  return useOneAtATime({
    mutationFn: act,
    onSuccess: async (result, input) => {
      await onDone?.(result, input);
      return client.invalidateQueries();
    },
  });
}

/** A double click, or a key that is pressed twice, acts once. A failure is shown. */
export function useOneAtATime<A, R>(options: UseMutationOptions<R, Error, A>) {
  const showFailure = useShowFailure();
  const underWay = useRef(new Set<string>());
  const nameOf = (input: A) => JSON.stringify(input) ?? '';
  const mutation = useMutation({
    ...options,
    onError: showFailure,
    onSettled: (_result, _error, input) => underWay.current.delete(nameOf(input)),
  });
  const mutate = (input: A) => {
    const name = nameOf(input);
    if (underWay.current.has(name)) return;
    underWay.current.add(name);
    mutation.mutate(input);
  };
  return { ...mutation, mutate };
}

/** A message says what is wrong. The end of a session is said by the page to sign in. */
function useShowFailure(): (error: unknown) => void {
  const t = useT();
  const errorText = useErrorText();
  return (error) => {
    if (isSessionOver(error)) return;
    notifications.show({
      color: 'red',
      title: t('state.error'),
      message: errorText(error),
      closeButtonProps: { 'aria-label': t('app.close') },
    });
  };
}

/** A message that disappears by itself, so it has no close button. */
export function say(message: string): void {
  notifications.show({ message, withCloseButton: false });
}
