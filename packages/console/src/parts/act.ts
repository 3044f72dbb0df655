import { notifications } from '@mantine/notifications';
import { type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { isSessionOver } from '../api/client.ts';
import { useErrorText, useT } from '../texts/texts.tsx';

/**
 * A call that changes data on the server. A failure is shown. After a success all queries are fetched again: those of
 * the screen to which `onDone` has led, so that no deleted object is requested.
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

/** Performs an action once for a double click or a repeated key. A failure is shown. */
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

/** Shows the message of a failure. The end of a session is shown by the sign-in page instead. */
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

/** Shows a message that disappears by itself, so it has no close button. */
export function say(message: string): void {
  notifications.show({ message, withCloseButton: false });
}
