import { Button, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { onAskForCode } from '../api/client.ts';
import { useT } from '../texts/texts.tsx';
import { CodeField } from './code-field.tsx';
import { Dialog } from './dialogs.tsx';

type CodeRequest = { answer(code: string): void; cancel(): void };

/** Asks for a code of the authenticator app before a destructive operation. */
export function AskForCode() {
  const t = useT();
  const [request, setRequest] = useState<CodeRequest>();
  const [digits, setDigits] = useState('');
  useEffect(() => {
    onAskForCode(
      () =>
        new Promise((answer, refuse) => {
          setDigits('');
          setRequest({ answer, cancel: () => refuse(new Error(t('code.cancelled'))) });
        }),
    );
    return () => onAskForCode(undefined);
  }, [t]);
  const close = (end: (codeRequest: CodeRequest) => void) => {
    if (request) end(request);
    setRequest(undefined);
  };
  return (
    <Dialog opened={request !== undefined} onClose={() => close(({ cancel }) => cancel())} title={t('code.confirm')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          close(({ answer }) => answer(digits));
        }}
      >
        <Stack>
          <Text size="sm">{t('code.type')}</Text>
          <CodeField digits={digits} onDigits={setDigits} />
          <Button type="submit">{t('code.confirm')}</Button>
        </Stack>
      </form>
    </Dialog>
  );
}
