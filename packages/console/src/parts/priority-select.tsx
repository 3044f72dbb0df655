import { NativeSelect } from '@mantine/core';
import { call } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';
import { say, useAct } from './act.ts';
import { useReview } from './case-decision.tsx';

const PRIORITIES = ['NORMAL', 'HIGH', 'URGENT'] as const;
type Priority = (typeof PRIORITIES)[number];

export function PrioritySelect({ id }: { id: string }) {
  const t = useT();
  const may = useMay();
  const { data: review } = useReview(id);
  const set = useAct(
    (priority: Priority) => call('reviews', 'setPriority', { params: { processInstanceId: id }, body: { priority } }),
    ({ priority }) => say(t('priority.set', { priority: t(`priority.${priority}`) })),
  );
  if (!review || !may('reviews', 'setPriority')) return null;
  return (
    <NativeSelect
      aria-label={t('priority.title')}
      value={review.priority}
      data={PRIORITIES.map((value) => ({ value, label: t(`priority.${value}`) }))}
      disabled={set.isPending}
      onChange={(event) => set.mutate(event.currentTarget.value as Priority)}
    />
  );
}
