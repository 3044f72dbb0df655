import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { call, callForBlob, type Result } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useAct } from '../parts/act.ts';
import { WordTag } from '../parts/badges.tsx';
import { DownloadButton } from '../parts/download-button.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Empty, Guarded } from '../parts/states.tsx';
import { useDownload } from '../parts/use-download.ts';
import { useT } from '../texts/texts.tsx';
import { STATUSES } from './instances.tsx';

type ExportRow = Result<'instanceExports', 'list'>['content'][number];

/** Long lists of verifications as files, which the server prepares. Operators see only their own exports. */
export function Exports() {
  const t = useT();
  return (
    <Guarded group="instanceExports" name="list">
      <Page title={t('exports.title')}>
        <Text size="sm" c="dimmed">
          {t('exports.lead')}
        </Text>
        <List<ExportRow>
          group="instanceExports"
          name="list"
          label={t('exports.title')}
          columns={useColumns()}
          keyOf={({ id }) => id}
          empty={<Empty title={t('exports.none')} />}
          isLive={(rows) => rows.some(({ state }) => state === 'RUNNING')}
          actionsOf={(row) => <ExportActions row={row} />}
        />
      </Page>
    </Guarded>
  );
}

function useColumns(): Column<ExportRow>[] {
  const t = useT();
  const filtersText = useFiltersText();
  return [
    {
      title: t('list.filters'),
      show: (row) => <bdi className="wrap">{filtersText(row) || t('exports.everything')}</bdi>,
      text: filtersText,
    },
    { title: t('exports.format'), show: ({ format }) => format, text: ({ format }) => format },
    { title: t('keys.status'), show: (row) => <ExportState row={row} />, text: ({ state }) => state },
    {
      title: t('instances.created'),
      show: (row) => <Moment at={row.createdDtm} />,
      text: (row) => row.createdDtm,
    },
    { title: t('exports.until'), show: (row) => <Moment at={row.expiringDtm} />, text: (row) => row.expiringDtm },
  ];
}

/** The filters in the words of the list. */
function useFiltersText() {
  const t = useT();
  return ({ filters }: ExportRow): string => {
    const status = filters.processInstanceStatus;
    const day = (dtm: string | undefined) => dtm?.slice(0, 10);
    const parts = [
      [t('app.search'), filters.searchString],
      [t('instances.status'), status && t(STATUSES[status])],
      [t('instances.definition'), filters.processDefinitionName],
      [t('list.from'), day(filters.startDateTime)],
      [t('list.to'), day(filters.endDateTime)],
    ];
    return parts.flatMap(([label, value]) => (value ? [`${label}: ${value}`] : [])).join(' · ');
  };
}

function ExportState({ row: { state, rows, total, truncated } }: { row: ExportRow }) {
  const t = useT();
  const share = total === 0 ? 0 : Math.min(100, Math.round((100 * rows) / total));
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <WordTag word={state} />
        <Text size="sm">{t('exports.rows', { n: rows })}</Text>
      </Group>
      {state === 'RUNNING' && <Progress value={share} aria-label={t('exports.progress')} />}
      {truncated && (
        <Text size="xs" c="dimmed">
          {t('list.cut', { n: rows })}
        </Text>
      )}
    </Stack>
  );
}

function ExportActions({ row }: { row: ExportRow }) {
  const t = useT();
  const may = useMay();
  const params = { exportId: row.id };
  const name = `verifications-${row.createdDtm.slice(0, 10)}.${row.format.toLowerCase()}`;
  const download = useDownload(name, (onBytes) =>
    callForBlob('instanceExports', 'download', { params, body: {} }, '*/*', onBytes),
  );
  const remove = useAct(() => call('instanceExports', 'delete', { params }));
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {may('instanceExports', 'download') && (
        <DownloadButton
          size="compact-xs"
          disabled={row.state !== 'DONE'}
          download={download}
          label={t('exports.download')}
        />
      )}
      {may('instanceExports', 'delete') && (
        <Button size="compact-xs" variant="default" loading={remove.isPending} onClick={() => remove.mutate(undefined)}>
          {t('app.delete')}
        </Button>
      )}
    </Group>
  );
}
