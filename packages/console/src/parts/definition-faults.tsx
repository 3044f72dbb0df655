import { Alert, Button, List, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ArgumentsOf, call } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';

type Document = NonNullable<ArgumentsOf<'processDefinitions', 'create'>['body']>;

const WAIT_MS = 400;

/** Validates the text as a deployment would, while the operator types. */
export function useFaults(text: string) {
  const may = useMay();
  const environment = useEnvironment();
  const [debouncedText] = useDebouncedValue(text, WAIT_MS);
  return useQuery({
    queryKey: [environment, 'validate', debouncedText],
    queryFn: () => call('processDefinitions', 'validate', { body: JSON.parse(debouncedText) as Document }),
    enabled: may('processDefinitions', 'validate'),
    retry: false,
  });
}

type FaultsProps = { query: ReturnType<typeof useFaults>; onShow(pointer: string): void };

/** The faults, each with a button that shows its position in the document. */
export function Faults({ query, onShow }: FaultsProps) {
  const t = useT();
  if (query.isPending) return null;
  if (query.isError) {
    return (
      <Alert color="red" variant="light" title={t('definitions.faults')}>
        {query.error.message}
      </Alert>
    );
  }
  const { faults } = query.data;
  if (faults.length === 0) {
    return (
      <Text size="sm" c="dimmed" role="status">
        {t('definitions.sound')}
      </Text>
    );
  }
  return (
    <Alert color="red" variant="light" title={t('definitions.faults')} role="status">
      <List size="sm">
        {faults.map(({ pointer, message }) => (
          <List.Item key={`${pointer}${message}`}>
            <code>{pointer}</code> {message}{' '}
            <Button
              size="compact-xs"
              variant="default"
              aria-label={t('definitions.showFault', { pointer })}
              onClick={() => onShow(pointer)}
            >
              {t('outline.show')}
            </Button>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
