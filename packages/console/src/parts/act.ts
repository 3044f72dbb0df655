import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { isSessionOver } from '../api/client.ts';
import { useT } from '../texts/texts.tsx';

/** A call that changes data on the server. A failure is shown, and after a success all queries are fetched again. */
export function useAct<A, R>(act: (input: A) => Promise<R>, onDone?: (result: R, input: A) => void) {
  const t = useT();
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: (result, input) => {
      onDone?.(result, input);
      return client.invalidateQueries();
    },
    onError: (error) => {
      // The page to sign in says so.
      if (isSessionOver(error)) return;
      notifications.show({
        color: 'red',
        title: t('state.error'),
        message: error.message,
        closeButtonProps: { 'aria-label': t('app.close') },
      });
    },
  });
}

/** A message that disappears by itself, so it has no close button. */
export function say(message: string): void {
  notifications.show({ message, withCloseButton: false });
}
