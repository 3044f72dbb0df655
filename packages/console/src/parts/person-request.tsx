import { Alert, Anchor, Button, Card, Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { CallError, call, callForBlob, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import type { TranslatePerson } from '../texts/persons.ts';
import { WordTag } from './badges.tsx';
import { DownloadButton } from './download-button.tsx';
import { Moment, useMomentText } from './moment.tsx';
import { ErasePerson, type Selectors, valuesOf } from './person-erasure.tsx';
import { saveFile } from './save-file.ts';
import { SectionHead } from './section-head.tsx';
import { Empty, Failed, Waiting } from './states.tsx';
import { useDownload } from './use-download.ts';

type Request = Result<'personRequests', 'get'>;

const POLL_MS = 1000;
const NO_REQUEST = 100230;
const KEPT_MS = 7 * 86_400_000;
const MAX_LISTED = 20;
const KINDS = ['processInstances', 'processTokens', 'users', 'watchlistMembers'] as const;

const isAtWork = ({ state }: Request) => state === 'SEARCHING' || state === 'ERASING';
const countOf = (request: Request) => KINDS.reduce((sum, kind) => sum + request.found[kind].length, 0);

type PersonRequestProps = {
  p: TranslatePerson;
  id: string;
  /** The person's values, if they were typed on this screen. */
  selectors: Selectors | undefined;
  onStarted(selectors: Selectors): (request: Request) => void;
};

/** Shows one request: its progress, its findings and its actions. */
export function PersonRequest({ p, id, selectors, onStarted }: PersonRequestProps) {
  const environment = useEnvironment();
  const query = useQuery({
    queryKey: [environment, 'person-request', id],
    queryFn: () => call('personRequests', 'get', { params: { personRequestId: id } }),
    refetchInterval: ({ state: { data } }) => (data && isAtWork(data) ? POLL_MS : false),
    retry: false,
  });
  const { error, data: request } = query;
  const section = useRef<HTMLElement>(null);
  const isNew = request !== undefined && selectors !== undefined;
  // On a phone the result is below the form, so it is scrolled into view.
  useEffect(() => {
    if (isNew) section.current?.scrollIntoView({ block: 'nearest' });
  }, [isNew]);
  if (query.isPending) return <Waiting />;
  if (error instanceof CallError && error.code === NO_REQUEST) {
    return (
      <Empty title={p('gone')}>
        <Text size="sm" c="dimmed" ta="center">
          {p('goneHint')}
        </Text>
      </Empty>
    );
  }
  if (!request) return <Failed error={error} retry={() => query.refetch()} />;
  const [who] = selectors ? valuesOf(selectors) : [];
  const isErased = request.action === 'ERASE' && request.state === 'DONE';
  const title = isErased ? p('erasedTitle') : who ? p('foundOf', { who }) : p('found');
  return (
    <section aria-label={title} ref={section}>
      <Card withBorder>
        <SectionHead title={title}>
          <RequestState p={p} request={request} />
        </SectionHead>
        <Stack>
          <Text size="xs" c="dimmed" className="wrap">
            <bdi>{request.id}</bdi> · <Moment at={request.createdDtm} /> · <bdi>{request.createdBy}</bdi>
            {request.reference && (
              <>
                {' · '}
                <bdi>{request.reference}</bdi>
              </>
            )}
          </Text>
          <Outcome p={p} request={request} />
          <RequestActions p={p} request={request} selectors={selectors} onStarted={onStarted} />
        </Stack>
      </Card>
    </section>
  );
}

function RequestState({ p, request: { state } }: { p: TranslatePerson; request: Request }) {
  return (
    <div role="status">
      {state === 'SEARCHING' || state === 'ERASING' ? <Text size="sm">{p(state)}</Text> : <WordTag word={state} />}
    </div>
  );
}

function Outcome({ p, request }: { p: TranslatePerson; request: Request }) {
  const count = countOf(request);
  if (request.state === 'FAILED') {
    return (
      <Alert color="red" variant="light" role="alert" title={p('failed')}>
        {request.reason?.startsWith('more than') ? p('tooMany') : request.reason}
      </Alert>
    );
  }
  return (
    <>
      {isAtWork(request) && <RequestProgress p={p} request={request} />}
      {request.state === 'DONE' && count === 0 && (
        <Text size="sm">{p(request.action === 'ERASE' ? 'nothingErased' : 'nothing')}</Text>
      )}
      {count > 0 && <FoundItems p={p} request={request} />}
    </>
  );
}

function RequestProgress({ p, request }: { p: TranslatePerson; request: Request }) {
  const { state, searched, total, erased } = request;
  const count = countOf(request);
  const [done, all] = state === 'ERASING' ? [erased, count] : [searched, total];
  return (
    <Stack gap={4}>
      <Progress value={all === 0 ? 0 : Math.min(100, (100 * done) / all)} aria-label={p('progress')} />
      <Text size="sm">
        {state === 'ERASING' ? p('erased', { n: erased, total: count }) : p('searched', { searched, total })}
      </Text>
      <Text size="sm" c="dimmed">
        {p('leave')}
      </Text>
    </Stack>
  );
}

function FoundItems({ p, request }: { p: TranslatePerson; request: Request }) {
  const may = useMay();
  const { found: items, action, state } = request;
  const isThere = action === 'FIND' || state === 'SEARCHING';
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        {KINDS.map((kind) => (
          <div key={kind}>
            <Text size="xl" fw={650}>
              {items[kind].length}
            </Text>
            <Text size="sm">{p(kind)}</Text>
          </div>
        ))}
      </SimpleGrid>
      {isThere && may('processInstances', 'get') && <FoundInstances p={p} ids={items.processInstances} />}
    </>
  );
}

function FoundInstances({ p, ids }: { p: TranslatePerson; ids: readonly string[] }) {
  if (ids.length === 0) return null;
  return (
    <Group gap="xs">
      {ids.slice(0, MAX_LISTED).map((id) => (
        <Anchor key={id} component={Link} to={`/instances/${id}`} size="sm">
          {id}
        </Anchor>
      ))}
      {ids.length > MAX_LISTED && <Text size="sm">{p('more', { n: ids.length - MAX_LISTED })}</Text>}
    </Group>
  );
}

type RequestActionsProps = Omit<PersonRequestProps, 'id'> & { request: Request };

function RequestActions({ p, request, selectors, onStarted }: RequestActionsProps) {
  const may = useMay();
  if (request.state !== 'DONE') return null;
  if (request.action === 'ERASE') return <Receipt p={p} request={request} />;
  if (countOf(request) === 0) return null;
  return (
    <Stack gap="xs">
      <Group>
        {may('personRequests', 'archive') && <ArchiveButton p={p} request={request} />}
        {selectors && <ErasePerson p={p} selectors={selectors} onStarted={onStarted(selectors)} />}
      </Group>
      {may('personRequests', 'archive') && <ArchiveHint p={p} request={request} />}
      {!selectors && may('personRequests', 'erase') && (
        <Text size="sm" c="dimmed">
          {p('eraseAgain')}
        </Text>
      )}
    </Stack>
  );
}

function ArchiveButton({ p, request: { id } }: { p: TranslatePerson; request: Request }) {
  const params = { personRequestId: id };
  const download = useDownload(`person-${id}.zip`, (onBytes) =>
    callForBlob('personRequests', 'archive', { params, body: {} }, 'application/zip', onBytes),
  );
  return <DownloadButton download={download} label={p('archive')} />;
}

function ArchiveHint({ p, request: { createdDtm } }: { p: TranslatePerson; request: Request }) {
  const momentText = useMomentText();
  const until = momentText(new Date(Date.parse(createdDtm) + KEPT_MS).toISOString());
  return (
    <Text size="sm" c="dimmed">
      {p('archiveUntil', { until })}
    </Text>
  );
}

function Receipt({ p, request: { id, receipt, found: items } }: { p: TranslatePerson; request: Request }) {
  if (!receipt) return null;
  const save = () => saveFile(`person-erasure-${id}.jws`, new Blob([receipt], { type: 'application/jose' }));
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">{p('receiptLead')}</Text>
      {items.processTokens.length > 0 && <Text size="sm">{p('tokensStay')}</Text>}
      <Button onClick={save}>{p('receipt')}</Button>
    </Stack>
  );
}
