import { NativeSelect } from '@mantine/core';
import { call } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useTexts } from '../texts/texts.tsx';
import { say, useAct } from './act.ts';
import { useColleagues } from './colleagues.ts';

/** Assigns a case that waits for a review to a colleague. */
export function AssignReview({ id }: { id: string }) {
  const { t, language } = useTexts();
  const may = useMay();
  const people = useColleagues();
  const assign = useAct(
    (operatorId: string) =>
      call('reviews', 'assign', { params: { processInstanceId: id }, body: { operatorId, language } }),
    ({ reviewer }) => say(t('case.assigned', { name: reviewer ?? '' })),
  );
  if (!people || !may('reviews', 'assign')) return null;
  return (
    <NativeSelect
      aria-label={t('case.assign')}
      value=""
      data={[{ value: '', label: t('case.assign') }, ...people]}
      disabled={assign.isPending}
      onChange={(event) => event.currentTarget.value && assign.mutate(event.currentTarget.value)}
    />
  );
}
