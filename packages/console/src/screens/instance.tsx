import { Button, Code, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { CallError, call, callForBlob } from '../api/client.ts';
import { useMay, useSession } from '../api/session.tsx';
import { useAct } from '../parts/act.ts';
import { StatusTag, Tag } from '../parts/badges.tsx';
import { CancelInstance } from '../parts/cancel-instance.tsx';
import { type Case, CaseStates, Checks, EventList, Forms, useCase } from '../parts/case-data.tsx';
import { Faces, Images, imagesOf } from '../parts/case-images.tsx';
import { Links } from '../parts/case-links.tsx';
import { Notes } from '../parts/case-notes.tsx';
import { Sessions } from '../parts/case-sessions.tsx';
import { ValuesTable } from '../parts/case-values.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { DownloadButton } from '../parts/download-button.tsx';
import { statusWord } from '../parts/instance-status.ts';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Redacted, RedactInstance } from '../parts/redact-instance.tsx';
import { ReopenInstance } from '../parts/reopen-instance.tsx';
import { saveFile } from '../parts/save-file.ts';
import { SendLink } from '../parts/send-link.tsx';
import { Failed, Waiting } from '../parts/states.tsx';
import { useDownload } from '../parts/use-download.ts';
import { useT } from '../texts/texts.tsx';
import { titleOf } from './instances.tsx';

const NOT_FOUND = 100022;

export function Instance() {
  const t = useT();
  const { id = '' } = useParams({ strict: false });
  const may = useMay();
  // Looking up a status must not read personal data, because each read is recorded.
  const [shownId, setShownId] = useState('');
  const seeData = may('userData', 'get');
  const isHidden = seeData && shownId !== id;
  const query = useCase(id, { seeData, seeEvents: may('processInstances', 'listEvents'), isHidden });
  const isGone = query.error instanceof CallError && query.error.code === NOT_FOUND;
  if (isGone && may('erasures', 'get')) return <Tombstone id={id} />;
  if (!query.data) return <CaseStates query={query} />;
  const { instance } = query.data;
  return (
    <Page title={titleOf(t, instance, query.data.data)} actions={<Actions caseFile={query.data} />}>
      <CaseView caseFile={query.data} {...(isHidden && { onShow: () => setShownId(id) })} />
      <Items caseFile={query.data} />
    </Page>
  );
}

/** The same three columns for every case, decided or not. */
export function CaseView({ caseFile, onShow }: { caseFile: Case; onShow?: () => void }) {
  const t = useT();
  const { masked } = useSession();
  const { instance, data, checks, events } = caseFile;
  const instanceRef = { processDefnId: instance.processDefnId, processInstanceId: instance.id };
  const images = imagesOf(data);
  const { redactedDtm } = instance;
  const isShown = !onShow && !redactedDtm;
  return (
    <div className="case">
      <Stack>
        <Facts caseFile={caseFile} />
        <section>
          <Title order={2} size="h5" mb="sm">
            {t('case.data')}
          </Title>
          {redactedDtm && <Redacted id={instance.id} at={redactedDtm} />}
          {data && (
            <Stack>
              <ValuesTable caseFile={caseFile} />
              <Forms caseFile={caseFile} />
            </Stack>
          )}
          {!data &&
            !redactedDtm &&
            (onShow ? <Hidden onShow={onShow} /> : <Text c="dimmed">{t('case.imagesForbidden')}</Text>)}
        </section>
      </Stack>
      {isShown && (
        <Stack>
          <Title order={2} size="h5">
            {t('case.images')}
          </Title>
          {masked && <Text c="dimmed">{t('roles.maskedLead')}</Text>}
          {data && !masked && <Images instanceRef={instanceRef} images={images} />}
          {data && !masked && <Faces instanceRef={instanceRef} images={images} />}
        </Stack>
      )}
      <Stack>
        <section>
          <Title order={2} size="h5" mb="sm">
            {t('case.checks')}
          </Title>
          <Checks checks={checks} />
        </section>
        {isShown && <Links id={instance.id} />}
        {isShown && <Sessions id={instance.id} />}
        {isShown && <Notes id={instance.id} />}
        {events.length > 0 && <EventList events={events} />}
      </Stack>
    </div>
  );
}

/** Shown instead of the personal data until the operator asks for it. */
function Hidden({ onShow }: { onShow(): void }) {
  const t = useT();
  return (
    <Stack align="flex-start" className="card">
      <Text size="sm">{t('hidden.lead')}</Text>
      <Button onClick={onShow}>{t('hidden.show')}</Button>
    </Stack>
  );
}

function Facts({ caseFile: { instance } }: { caseFile: Case }) {
  const t = useT();
  return (
    <Group gap="xs">
      <StatusTag status={statusWord(instance.status)} />
      {instance.redactedDtm && <Tag tone="plain">{t('redact.tag')}</Tag>}
      <Text size="sm" c="dimmed">
        {instance.processDefnName} v{instance.processDefnVersion}
      </Text>
      <Text size="xs" c="dimmed" className="wrap">
        {[instance.id, instance.externalReference, instance.email, instance.phoneNumber].filter(Boolean).join(' · ')}
      </Text>
    </Group>
  );
}

function Actions({ caseFile: { instance } }: { caseFile: Case }) {
  const t = useT();
  const may = useMay();
  const params = { processDefnId: instance.processDefnId, processInstanceId: instance.id };
  const archive = useDownload(`${instance.id}.zip`, (onBytes) =>
    callForBlob('userData', 'archive', { params, body: {} }, 'application/zip', onBytes),
  );
  const isOpen = ['PENDING', 'ACTIVE', 'PAUSED'].includes(instance.status);
  return (
    <>
      {isOpen && <SendLink id={instance.id} email={instance.email} />}
      {may('events', 'startQuery') && (
        <Button
          variant="default"
          component={Link}
          to="/events"
          search={{ parentProcessInstanceId: instance.id } as never}
        >
          {t('events.title')}
        </Button>
      )}
      {may('auditEvents', 'list') && (
        <Button variant="default" component={Link} to="/audit" search={{ processInstanceId: instance.id } as never}>
          {t('instance.activity')}
        </Button>
      )}
      <Button variant="default" onClick={() => print()}>
        {t('instance.report')}
      </Button>
      {may('userData', 'archive') && !instance.redactedDtm && (
        <DownloadButton variant="default" download={archive} label={t('instance.archive')} />
      )}
      {!instance.redactedDtm && <ReopenInstance id={instance.id} status={instance.status} />}
      {(isOpen || instance.status === 'REVIEW') && <CancelInstance id={instance.id} />}
      <RedactInstance instance={instance} />
      <Remove id={instance.id} />
    </>
  );
}

/** All stored items of the person, by their path. */
function Items({ caseFile: { instance, data } }: { caseFile: Case }) {
  const t = useT();
  const may = useMay();
  const params = { processDefnId: instance.processDefnId, processInstanceId: instance.id };
  const open = useAct(async (path: string) => {
    const { contentType, data: content } = await call('userData', 'getItem', { params, query: { path } });
    const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
    saveFile(path.replaceAll('/', '-'), new Blob([bytes], { type: contentType }));
  });
  if (!data || !may('userData', 'getItem')) return null;
  return (
    <details className="no-print">
      <summary>{t('instance.items')}</summary>
      <Stack gap={4} mt="xs" component="ul" className="plain-list">
        {imagesOf(data).map(({ path }) => (
          <li key={path}>
            <Button size="compact-xs" variant="subtle" onClick={() => open.mutate(path)}>
              {path}
            </Button>
          </li>
        ))}
      </Stack>
      <Code block mt="xs" className="wrap">
        {JSON.stringify({ forms: data.forms, _checks: data._checks, _decision: data._decision }, null, 2)}
      </Code>
    </details>
  );
}

/** What remains of an erased verification: when, by whom, and the signed receipt. */
function Tombstone({ id }: { id: string }) {
  const t = useT();
  const { data, error, isPending } = useQuery({
    queryKey: ['erasure', id],
    queryFn: () => call('erasures', 'get', { params: { processInstanceId: id } }),
    retry: false,
  });
  if (isPending) return <Waiting />;
  if (!data) return <Failed error={error} />;
  const rows = [
    [t('instances.id'), data.processInstanceId],
    [t('instances.created'), <Moment key="created" at={data.createdDtm} />],
    [t('instance.erased'), <Moment key="deleted" at={data.deletedDtm} />],
    [t('audit.who'), data.deletedBy],
    [t('keys.status'), t(data.state === 'ERASED' ? 'instance.allGone' : 'instance.goes')],
  ] as const;
  return (
    <Page title={t('instance.tombstone')}>
      <Table withTableBorder>
        <Table.Tbody>
          {rows.map(([label, value]) => (
            <Table.Tr key={label}>
              <Table.Th>{label}</Table.Th>
              <Table.Td>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {data.receipt && (
        <Code block className="wrap">
          {data.receipt}
        </Code>
      )}
    </Page>
  );
}

function Remove({ id }: { id: string }) {
  const t = useT();
  const may = useMay();
  const navigate = useNavigate();
  if (!may('processInstances', 'delete')) return null;
  return (
    <DeleteButton
      size="sm"
      name={id}
      label={t('instance.delete')}
      title={t('instance.delete')}
      lead={t('instance.deleteLead')}
      remove={() => call('processInstances', 'delete', { params: { processInstanceId: id } })}
      onDone={() => navigate({ to: '/instances' })}
    />
  );
}
