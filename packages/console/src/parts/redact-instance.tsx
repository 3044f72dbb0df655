import { Alert, Button, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CallError, call } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';
import { say, useAct } from './act.ts';
import { ConfirmByTyping } from './dialogs.tsx';
import { Moment } from './moment.tsx';

type Redactable = { id: string; status: string; redactedDtm?: string };

const isOver = ({ status }: Pick<Redactable, 'status'>) => status.startsWith('COMPLETED_');
const redact = (processInstanceId: string) =>
  call('processInstances', 'redact', { params: { processInstanceId }, body: {} });

/** Removes the personal data of a finished verification, and keeps its verdict. */
export function RedactInstance({ instance }: { instance: Redactable }) {
  const t = useT();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const { id, redactedDtm } = instance;
  const act = useAct(
    () => redact(id),
    () => {
      setOpen(false);
      say(t('redact.done', { n: 1 }));
    },
  );
  if (redactedDtm !== undefined || !isOver(instance) || !may('processInstances', 'redact')) return null;
  const dialog = { isOpen, setOpen, isBusy: act.isPending, onConfirm: () => act.mutate(undefined) };
  return <RedactButton label={t('redact.button')} title={t('redact.title')} expected={id} {...dialog} />;
}

const UNDER_WAY = 100056;

/** Redacts several verifications. Unfinished ones are left unchanged, and counted. */
export function RedactSelected({ ids, onDone }: { ids: ReadonlySet<string>; onDone(): void }) {
  const t = useT();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const act = useAct(
    async () => {
      let underWay = 0;
      for (const id of ids) {
        try {
          await redact(id);
        } catch (error) {
          if (!(error instanceof CallError) || error.code !== UNDER_WAY) throw error;
          underWay += 1;
        }
      }
      return underWay;
    },
    (underWay) => {
      setOpen(false);
      say(t('redact.done', { n: ids.size - underWay }));
      if (underWay > 0) say(t('redact.underWay', { n: underWay }));
      onDone();
    },
  );
  if (ids.size === 0 || !may('processInstances', 'redact')) return null;
  const title = t('redact.chosen', { n: ids.size });
  const dialog = { isOpen, setOpen, isBusy: act.isPending, onConfirm: () => act.mutate(undefined) };
  return <RedactButton label={title} title={title} expected={String(ids.size)} {...dialog} />;
}

type RedactButtonProps = {
  label: string;
  title: string;
  /** The text that the operator types to confirm. */
  expected: string;
  isOpen: boolean;
  setOpen(isOpen: boolean): void;
  isBusy: boolean;
  onConfirm(): void;
};

/** The button, and the dialog that lists what is removed and what stays. */
function RedactButton({ label, title, expected, isOpen, setOpen, isBusy, onConfirm }: RedactButtonProps) {
  const t = useT();
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {label}
      </Button>
      <ConfirmByTyping
        title={title}
        lead={<WhatGoes />}
        expected={expected}
        submitLabel={t('redact.submit')}
        opened={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={onConfirm}
        isBusy={isBusy}
      />
    </>
  );
}

function WhatGoes() {
  const t = useT();
  const lists = [
    [t('redact.goes'), [t('redact.goesPerson'), t('redact.goesImages'), t('redact.goesWork')]],
    [t('redact.stays'), [t('redact.staysVerdict'), t('redact.staysChecks'), t('redact.staysFigures')]],
  ] as const;
  return (
    <Stack gap="xs">
      <Text size="sm">{t('redact.lead')}</Text>
      {lists.map(([title, items]) => (
        <div key={title}>
          <Text size="sm" fw={600}>
            {title}
          </Text>
          <List size="sm">
            {items.map((item) => (
              <List.Item key={item}>{item}</List.Item>
            ))}
          </List>
        </div>
      ))}
    </Stack>
  );
}

/** Shown instead of the personal data. */
export function Redacted({ id, at }: { id: string; at: string }) {
  const t = useT();
  const may = useMay();
  const { data } = useQuery({
    queryKey: ['erasure', id],
    queryFn: () => call('erasures', 'get', { params: { processInstanceId: id } }),
    enabled: may('erasures', 'get'),
    retry: false,
  });
  return (
    <Alert variant="light" color="gray" title={t('redact.noteTitle')}>
      <Stack gap={4}>
        <Text size="sm">{t('redact.note')}</Text>
        <Text size="xs" c="dimmed">
          <Moment at={at} />
          {data && ` · ${data.deletedBy} · ${t(data.state === 'ERASED' ? 'redact.imagesGone' : 'redact.imagesGo')}`}
        </Text>
      </Stack>
    </Alert>
  );
}
