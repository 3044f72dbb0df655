import { Button, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';
import { useAct } from './act.ts';
import { ActForm } from './act-form.tsx';
import { Dialog } from './dialogs.tsx';
import { WhyField } from './why-field.tsx';

const DECIDED: readonly string[] = ['COMPLETED_ENDED_SUCCESS', 'COMPLETED_ENDED_ERROR'];

/** Returns a decided verification to the review queue, with a reason. */
export function ReopenInstance({ id, status }: { id: string; status: string }) {
  const t = useT();
  const may = useMay();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [comment, setComment] = useState('');
  const reopen = useAct(
    () => call('reviews', 'reopen', { params: { processInstanceId: id }, body: { comment } }),
    () => {
      setOpen(false);
      navigate({ to: `/reviews/${id}` });
    },
  );
  if (!DECIDED.includes(status) || !may('reviews', 'reopen')) return null;
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t('reopen.button')}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={t('reopen.title')}>
        <ActForm act={reopen} submitLabel={t('reopen.button')} isDisabled={comment.trim() === ''}>
          <Text size="sm">{t('reopen.lead')}</Text>
          <WhyField label={t('reopen.why')} value={comment} onChange={setComment} hasFocus />
        </ActForm>
      </Dialog>
    </>
  );
}
