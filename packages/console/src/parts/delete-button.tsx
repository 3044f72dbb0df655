import { Button } from '@mantine/core';
import { useState } from 'react';
import { CallError } from '../api/client.ts';
import { useT } from '../texts/texts.tsx';
import { useAct } from './act.ts';
import { ConfirmByTyping } from './dialogs.tsx';

type DeleteButtonProps = {
  /** The name to type for confirmation. */
  name: string;
  /** The text that says what is lost. */
  lead: string;
  remove(): Promise<unknown>;
  title?: string;
  label?: string;
  size?: string;
  onDone?(): unknown;
};

/** Accepts that somebody else has already deleted it. */
function ensureGone(error: unknown): void {
  if (!(error instanceof CallError) || error.status !== 404) throw error;
}

/** Deletes something permanently after its name was typed. */
export function DeleteButton({ name, lead, remove, title, label, size = 'compact-xs', onDone }: DeleteButtonProps) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  const act = useAct(
    () => remove().catch(ensureGone),
    () => {
      setOpen(false);
      return onDone?.();
    },
  );
  return (
    <>
      <Button size={size} variant="default" onClick={() => setOpen(true)}>
        {label ?? t('app.delete')}
      </Button>
      <ConfirmByTyping
        title={title ?? t('app.delete')}
        lead={lead}
        expected={name}
        opened={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={() => act.mutate(undefined)}
        isBusy={act.isPending}
      />
    </>
  );
}
