import { Button, Group, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';

type Queue = Result<'processSettings', 'get'>['reviewQueues'][number];
type QueueSettingsProps = { queues: readonly Queue[]; onQueues(queues: Queue[]): void };

const MAX_QUEUES = 20;
const MAX_DEFINITIONS = 200;

/** The named queues of reviews. */
export function QueueSettings({ queues, onQueues }: QueueSettingsProps) {
  const t = useT();
  const may = useMay();
  const environment = useEnvironment();
  const definitions = useQuery({
    queryKey: [environment, 'deployed-definitions'],
    queryFn: () => call('processDefinitions', 'list', { query: { status: 'DEPLOYED_ACTIVE', size: MAX_DEFINITIONS } }),
    enabled: may('processDefinitions', 'list'),
  });
  const definitionNames = [...new Set((definitions.data?.content ?? []).map(({ name }) => name))];
  const change = (at: number, more: Partial<Queue>) =>
    onQueues(queues.map((queue, index) => (index === at ? { ...queue, ...more } : queue)));
  return (
    <Stack gap="xs" role="group" aria-label={t('queues.settings')}>
      <Text size="sm" fw={600}>
        {t('queues.settings')}
      </Text>
      <Text size="xs" c="dimmed">
        {t('queues.hint')}
      </Text>
      {queues.map((queue, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a queue has no id, and its name can be edited.
        <Group key={at} align="flex-end" gap="xs">
          <TextInput
            className="grow"
            label={t('queues.name')}
            value={queue.name}
            maxLength={50}
            onChange={(event) => change(at, { name: event.currentTarget.value })}
            required
          />
          <TagsInput
            className="grow"
            label={t('queues.definitions')}
            data={definitionNames}
            value={queue.processDefnNames}
            onChange={(processDefnNames) => change(at, { processDefnNames })}
          />
          <Button
            variant="default"
            aria-label={t('queues.remove', { name: queue.name })}
            onClick={() => onQueues(queues.filter((_, index) => index !== at))}
          >
            {t('outline.remove')}
          </Button>
        </Group>
      ))}
      {queues.length < MAX_QUEUES && (
        <Button
          variant="default"
          className="self-start"
          onClick={() => onQueues([...queues, { name: '', processDefnNames: [] }])}
        >
          {t('queues.add')}
        </Button>
      )}
    </Stack>
  );
}
