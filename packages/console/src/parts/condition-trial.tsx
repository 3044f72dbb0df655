import { Alert, Button, Group, JsonInput, Stack } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';
import { useAct } from './act.ts';

const STARTER = { params: { country: 'DE' }, checks: { selfie: { passed: true, score: 0.9 } }, data: { forms: {} } };

/** Evaluates a condition with values that the operator makes up. */
export function ConditionTrial({ condition }: { condition: string }) {
  const t = useT();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const [values, setValues] = useState(JSON.stringify(STARTER, null, 2));
  const trial = useAct(() =>
    call('processDefinitions', 'tryCondition', {
      body: { condition, values: JSON.parse(values) as Record<string, unknown> },
    }),
  );
  if (!may('processDefinitions', 'tryCondition') || condition.trim() === '') return null;
  if (!isOpen) {
    return (
      <Group>
        <Button size="compact-xs" variant="default" onClick={() => setOpen(true)}>
          {t('condition.try')}
        </Button>
      </Group>
    );
  }
  const { result, faults = [] } = trial.data ?? {};
  return (
    <Stack gap="xs" className="card">
      <JsonInput
        label={t('condition.values')}
        description={t('condition.valuesHint')}
        value={values}
        onChange={setValues}
        autosize
        minRows={3}
        maxRows={16}
        className="code"
      />
      <Group>
        <Button size="xs" variant="default" onClick={() => trial.mutate(undefined)} loading={trial.isPending}>
          {t('condition.try')}
        </Button>
      </Group>
      {trial.data && (
        <Alert variant="light" color={faults.length > 0 ? 'red' : 'gray'} role="status" py="xs">
          {faults.length > 0 ? faults.join(' · ') : t(result ? 'condition.true' : 'condition.false')}
        </Alert>
      )}
    </Stack>
  );
}
