import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';
import { useAct } from './act.ts';
import { type Column, List } from './list.tsx';
import { Moment } from './moment.tsx';
import { SectionHead } from './section-head.tsx';

type ShadowRow = Result<'shadowVersions', 'list'>['content'][number];
type Answer = Result<'shadowVersions', 'result'>;

/** The number of parts of a result that are fetched, one after the other. */
const MAX_PARTS = 100;

/** Versions that are evaluated beside the deployed ones. They decide nothing. */
export function ShadowVersions({ definition }: { definition: string | undefined }) {
  const t = useT();
  const may = useMay();
  const start = useAct(() => call('shadowVersions', 'start', { body: { processDefinitionId: definition ?? '' } }));
  const columns: Column<ShadowRow>[] = [
    {
      title: t('whatIf.version'),
      show: (row) => `${row.processDefnName} v${row.processDefnVersion}`,
      text: (row) => `${row.processDefnName} v${row.processDefnVersion}`,
    },
    { title: t('shadow.since'), show: (row) => <Moment at={row.startedDtm} />, text: (row) => row.startedDtm },
    { title: t('keys.createdBy'), show: (row) => row.startedBy, text: (row) => row.startedBy },
    { title: t('shadow.result'), show: (row) => <ShadowResult id={row.processDefinitionId} /> },
  ];
  if (!may('shadowVersions', 'list')) return null;
  return (
    <section aria-label={t('shadow.title')}>
      <SectionHead title={t('shadow.title')}>
        {may('shadowVersions', 'start') && (
          <Button
            size="xs"
            variant="default"
            disabled={!definition}
            onClick={() => start.mutate(undefined)}
            loading={start.isPending}
          >
            {t('shadow.start')}
          </Button>
        )}
      </SectionHead>
      <Text size="sm" mb="xs">
        {t('shadow.lead')}
      </Text>
      <List<ShadowRow>
        group="shadowVersions"
        name="list"
        label={t('shadow.title')}
        columns={columns}
        keyOf={(row) => row.processDefinitionId}
        actionsOf={(row) => may('shadowVersions', 'end') && <End id={row.processDefinitionId} />}
      />
    </section>
  );
}

function End({ id }: { id: string }) {
  const t = useT();
  const end = useAct(() => call('shadowVersions', 'end', { params: { processDefinitionId: id } }));
  return (
    <Button size="compact-xs" variant="default" onClick={() => end.mutate(undefined)} loading={end.isPending}>
      {t('shadow.end')}
    </Button>
  );
}

async function wholeResult(processDefinitionId: string): Promise<{ examined: number; changed: number }> {
  const total = { examined: 0, changed: 0 };
  let after: string | undefined;
  for (let part = 0; part < MAX_PARTS; part += 1) {
    const answer: Answer = await call('shadowVersions', 'result', {
      params: { processDefinitionId },
      query: { after },
    });
    total.examined += answer.examined;
    total.changed += answer.changed.length;
    after = answer.next;
    if (after === undefined) break;
  }
  return total;
}

/** Computed on request, because it reads everything since the version was started. */
function ShadowResult({ id }: { id: string }) {
  const t = useT();
  const may = useMay();
  const [total, setTotal] = useState<{ examined: number; changed: number }>();
  const look = useAct(() => wholeResult(id), setTotal);
  if (!may('shadowVersions', 'result')) return null;
  return (
    <Group gap="xs">
      {total && (
        <Text size="sm" role="status">
          {t('whatIf.summary', total)}
        </Text>
      )}
      <Button size="compact-xs" variant="default" onClick={() => look.mutate(undefined)} loading={look.isPending}>
        {t('outline.show')}
      </Button>
    </Group>
  );
}
