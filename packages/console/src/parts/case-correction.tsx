import { Button, NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { CallError, call } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useNames } from '../texts/reasons.ts';
import { useT } from '../texts/texts.tsx';
import { say, useAct } from './act.ts';
import { ActForm } from './act-form.tsx';
import { Dialog } from './dialogs.tsx';
import { WhyField } from './why-field.tsx';

/** A value of a document that a reviewer corrects or adds. */
type Target = { instanceId: string; documentKey: string; fieldName: string; shownValue: string };

const DATES: readonly string[] = ['Date Of Birth', 'Date Of Expiry', 'Date Of Issue'];
const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;
/** The stored value is no longer the one that was shown. */
const VALUE_CHANGED = 100361;

export function useMayCorrect(status: string): boolean {
  const may = useMay();
  return status === 'REVIEW' && may('reviews', 'correct');
}

export function CorrectButton(target: Target) {
  const t = useT();
  const names = useNames();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        size="compact-xs"
        variant="subtle"
        className="no-print no-shrink"
        onClick={() => setOpen(true)}
        aria-label={t('correct.of', { field: names('fields', target.fieldName) })}
      >
        {t('correct.button')}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={t('correct.title')}>
        <CorrectionForm target={target} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

type AddProps = { instanceId: string; documentKey: string; missingFields: readonly string[] };

/** Adds the value of a field that could not be read automatically. */
export function AddValueButton({ instanceId, documentKey, missingFields }: AddProps) {
  const t = useT();
  const names = useNames();
  const [isOpen, setOpen] = useState(false);
  const [fieldChoice, setFieldChoice] = useState<string>();
  const fieldName = missingFields.find((name) => name === fieldChoice) ?? missingFields[0];
  if (fieldName === undefined) return null;
  return (
    <>
      <Button size="compact-xs" variant="subtle" className="self-start no-print" onClick={() => setOpen(true)}>
        {t('correct.add')}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={t('correct.add')}>
        <NativeSelect
          label={t('case.field')}
          mb="sm"
          value={fieldName}
          data={missingFields.map((value) => ({ value, label: names('fields', value) }))}
          onChange={(event) => setFieldChoice(event.currentTarget.value)}
        />
        <CorrectionForm
          key={fieldName}
          target={{ instanceId, documentKey, fieldName, shownValue: '' }}
          onDone={() => setOpen(false)}
        />
      </Dialog>
    </>
  );
}

function CorrectionForm({ target, onDone }: { target: Target; onDone(): void }) {
  const t = useT();
  const names = useNames();
  const { instanceId, documentKey, fieldName, shownValue } = target;
  const isDate = DATES.includes(fieldName);
  const [value, setValue] = useState(isDate && !ISO_DATE.test(shownValue) ? '' : shownValue);
  const [comment, setComment] = useState('');
  const correct = useAct(
    () =>
      call('reviews', 'correct', {
        params: { processInstanceId: instanceId },
        body: { document: documentKey, fieldName, value: value.trim(), replaces: shownValue, comment },
      }).catch((error: unknown) => {
        if (error instanceof CallError && error.code === VALUE_CHANGED) throw new Error(t('correct.changed'));
        throw error;
      }),
    ({ status }) => {
      say(t(status === 'REVIEW' ? 'correct.done' : 'correct.running'));
      onDone();
    },
  );
  const isUsable = value.trim() !== '' && value.trim() !== shownValue && (!isDate || ISO_DATE.test(value.trim()));
  return (
    <ActForm act={correct} submitLabel={t('correct.save')} isDisabled={!isUsable || comment.trim() === ''}>
      <Text size="sm">{t('correct.lead')}</Text>
      {shownValue !== '' && (
        <Text size="sm">
          {names('fields', fieldName)}: <bdi>{shownValue}</bdi>
        </Text>
      )}
      <TextInput
        label={t('correct.value')}
        {...(isDate && { description: t('correct.date') })}
        value={value}
        onChange={(event) => setValue(event.currentTarget.value)}
        maxLength={200}
        dir="auto"
        required
        data-autofocus
      />
      <WhyField label={t('correct.why')} value={comment} onChange={setComment} />
    </ActForm>
  );
}
