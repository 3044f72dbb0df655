import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';

/** Colleagues as the choices of a field. Undefined if the role does not include them. */
export function useColleagues(): { value: string; label: string }[] | undefined {
  const environment = useEnvironment();
  const isAllowed = useMay()('colleagues', 'list');
  const { data } = useQuery({
    queryKey: [environment, 'colleagues'],
    queryFn: () => call('colleagues', 'list', {}),
    enabled: isAllowed,
    staleTime: 60_000,
  });
  if (!isAllowed) return undefined;
  return (data?.colleagues ?? []).map(({ operatorId, name }) => ({ value: operatorId, label: name }));
}
