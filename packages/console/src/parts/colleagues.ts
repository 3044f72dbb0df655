import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';

/** The colleagues as options of a field; undefined if the role may not list them. */
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
