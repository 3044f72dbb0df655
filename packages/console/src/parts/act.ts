import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useT } from '../texts/texts.tsx';

/** Something that changes what the server holds: a failure is told, and everything that is shown is asked for again. */
export function useAct<A, R>(act: (input: A) => Promise<R>, onDone?: (result: R, input: A) => void) {
  const t = useT();
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: (result, input) => {
      onDone?.(result, input);
      return client.invalidateQueries();
    },
    onError: (error) =>
      notifications.show({
        color: 'red',
        title: t('state.error'),
        message: error.message,
        closeButtonProps: { 'aria-label': t('app.close') },
      }),
  });
}

/** Goes by itself, so there is nothing to close. */
export function say(message: string): void {
  notifications.show({ message, withCloseButton: false });
}
