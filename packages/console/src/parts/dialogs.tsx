import { Button, Code, CopyButton, Group, Modal, type ModalProps, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useT } from '../texts/texts.tsx';
import { QrCode } from './qr-code.tsx';

/**
 * A dialog with a labelled close button. A click beside it does not close it: that would lose input, and the second
 * click of a double click would close the dialog that the first one has opened.
 */
export function Dialog(props: ModalProps) {
  const t = useT();
  return <Modal closeButtonProps={{ 'aria-label': t('app.close') }} closeOnClickOutside={false} {...props} />;
}

/** Shows a secret or a link that is never shown again. */
export function OnceShown({
  title,
  lead,
  value,
  withQrCode = false,
  children,
  onClose,
}: {
  title: string;
  lead: string;
  value: string | undefined;
  /** Adds a QR code, for a link that the person may open with a phone. */
  withQrCode?: boolean;
  /** Another way to pass it on. */
  children?: ReactNode;
  onClose(): void;
}) {
  const t = useT();
  return (
    <Dialog opened={value !== undefined} onClose={onClose} title={title}>
      <Stack>
        <Text size="sm">{lead}</Text>
        {withQrCode && value && <QrCode text={value} label={t('tokens.qr')} />}
        <Code block className="wrap">
          {value}
        </Code>
        <Group justify="flex-end">
          <CopyButton value={value ?? ''}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {t(copied ? 'app.copied' : 'app.copy')}
              </Button>
            )}
          </CopyButton>
          <Button onClick={onClose}>{t('app.done')}</Button>
        </Group>
        {children}
      </Stack>
    </Dialog>
  );
}

/** Confirms something irreversible: it says what is lost, and the name must be typed. */
export function ConfirmByTyping({
  title,
  lead,
  expected,
  submitLabel,
  opened,
  onClose,
  onConfirm,
  isBusy,
}: {
  title: string;
  lead: ReactNode;
  expected: string;
  /** The label of the button; "Delete" by default. */
  submitLabel?: string;
  opened: boolean;
  onClose(): void;
  onConfirm(): void;
  isBusy: boolean;
}) {
  const t = useT();
  const [typed, setTyped] = useState('');
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === expected) onConfirm();
        }}
      >
        <Stack>
          <Text size="sm" component="div">
            {lead}
          </Text>
          <TextInput
            label={expected}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            data-autofocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('app.cancel')}
            </Button>
            <Button type="submit" color="red.9" disabled={typed !== expected} loading={isBusy}>
              {submitLabel ?? t('app.delete')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
