import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { isSessionOver } from '../api/client.ts';
import { useErrorText, useT } from '../texts/texts.tsx';

/** A call that changes data on the server. A failure is shown, and after a success all queries are fetched again. */
export function useAct<A, R>(act: (input: A) => Promise<R>, onDone?: (result: R, input: A) => void) {
  const client = useQueryClient();
  const showFailure = useShowFailure();
  const underWay = useRef(new Set<string>());
  const nameOf = (input: A) => JSON.stringify(input) ?? '';
  const mutation = useMutation({
    mutationFn: act,
    onSuccess: (result, input) => {
      onDone?.(result, input);
      return client.invalidateQueries();
    },
    onError: showFailure,
    onSettled: (_result, _error, input) => underWay.current.delete(nameOf(input)),
  });
  /** A double click, or a key that is pressed twice, acts once. */
  const mutate = (input: A) => {
    const name = nameOf(input);
    if (underWay.current.has(name)) return;
    underWay.current.add(name);
    mutation.mutate(input);
  };
  return { ...mutation, mutate };
}

/** A message says what is wrong. The end of a session is said by the page to sign in. */
export function useShowFailure(): (error: unknown) => void {
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
