import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';
import { useAct } from './act.ts';
import { Dialog } from './dialogs.tsx';

/** Cancels a verification that is not over. Its data stays. */
export function CancelInstance({ id }: { id: string }) {
  const t = useT();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const cancel = useAct(
    () => call('processInstances', 'cancel', { params: { processInstanceId: id }, body: {} }),
    () => setOpen(false),
  );
  if (!may('processInstances', 'cancel')) return null;
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t('instance.cancel')}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={t('instance.cancel')}>
        <Stack>
          <Text size="sm">{t('instance.cancelLead')}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setOpen(false)}>
              {t('app.close')}
            </Button>
            <Button color="red.8" onClick={() => cancel.mutate(undefined)} loading={cancel.isPending}>
              {t('instance.cancel')}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
