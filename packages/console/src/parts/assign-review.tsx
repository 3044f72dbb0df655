import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';
import { say, useAct } from './act.ts';

/** Gives a case that waits for a review to a colleague. */
export function AssignReview({ id }: { id: string }) {
  const t = useT();
  const may = useMay();
  const environment = useEnvironment();
  const isAllowed = may('reviews', 'assign') && may('colleagues', 'list');
  const { data } = useQuery({
    queryKey: [environment, 'colleagues'],
    queryFn: () => call('colleagues', 'list', {}),
    enabled: isAllowed,
    staleTime: 60_000,
  });
  const assign = useAct(
    (operatorId: string) => call('reviews', 'assign', { params: { processInstanceId: id }, body: { operatorId } }),
    ({ reviewer }) => say(t('case.assigned', { name: reviewer ?? '' })),
  );
  if (!isAllowed) return null;
  const people = (data?.colleagues ?? []).map(({ operatorId, name }) => ({ value: operatorId, label: name }));
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
