import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { call, callForBlob } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useAct } from '../parts/act.ts';
import { StatusTag } from '../parts/badges.tsx';
import { type Case, CaseStates, Checks, Forms, Happened, useCase, ValuesTable } from '../parts/case-data.tsx';
import { Faces, Images, imagesOf } from '../parts/case-images.tsx';
import { Links } from '../parts/case-links.tsx';
import { Notes } from '../parts/case-notes.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { statusWord } from '../parts/instance-status.ts';
import { Page } from '../parts/page.tsx';
import { useT } from '../texts/texts.tsx';
import { nameOf } from './instances.tsx';

export function Instance() {
  const t = useT();
  const { id = '' } = useParams({ strict: false });
  const may = useMay();
  const query = useCase(id, { seeData: may('userData', 'get'), seeEvents: may('processInstances', 'listEvents') });
  if (!query.data) return <CaseStates query={query} />;
  const { instance } = query.data;
  return (
    <Page title={nameOf(instance) || t('instances.noName')} actions={<Actions found={query.data} />}>
      <CaseView found={query.data} />
    </Page>
  );
}

/** The same three columns for every case, decided or not. */
export function CaseView({ found }: { found: Case }) {
  const t = useT();
  const { instance, data, checks, events } = found;
  const place = { processDefnId: instance.processDefnId, processInstanceId: instance.id };
  const images = imagesOf(data);
  return (
    <div className="case">
      <Stack>
        <Facts found={found} />
        <section>
          <Title order={2} size="h5" mb="sm">
            {t('case.data')}
          </Title>
          {data ? (
            <Stack>
              <ValuesTable found={found} />
              <Forms found={found} />
            </Stack>
          ) : (
            <Text c="dimmed">{t('case.imagesForbidden')}</Text>
          )}
        </section>
      </Stack>
      <Stack>
        <Title order={2} size="h5">
          {t('case.images')}
        </Title>
        {data && <Images place={place} images={images} />}
        {data && <Faces place={place} images={images} />}
      </Stack>
      <Stack>
        <section>
          <Title order={2} size="h5" mb="sm">
            {t('case.checks')}
          </Title>
          <Checks checks={checks} />
        </section>
        <Links id={instance.id} />
        <Notes id={instance.id} />
        {events.length > 0 && <Happened events={events} />}
      </Stack>
    </div>
  );
}

function Facts({ found: { instance } }: { found: Case }) {
  return (
    <Group gap="xs">
      <StatusTag status={statusWord(instance.status)} />
      <Text size="sm" c="dimmed">
        {instance.processDefnName} v{instance.processDefnVersion}
      </Text>
      <Text size="xs" c="dimmed" className="wrap">
        {instance.id}
      </Text>
    </Group>
  );
}

function Actions({ found: { instance } }: { found: Case }) {
  const t = useT();
  const may = useMay();
  const params = { processDefnId: instance.processDefnId, processInstanceId: instance.id };
  const archive = useAct(async () => {
    const blob = await callForBlob('userData', 'archive', { params, body: {} }, 'application/zip');
    const url = URL.createObjectURL(blob);
    Object.assign(document.createElement('a'), { href: url, download: `${instance.id}.zip` }).click();
    URL.revokeObjectURL(url);
  });
  return (
    <>
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
      {may('userData', 'archive') && (
        <Button variant="default" onClick={() => archive.mutate(undefined)} loading={archive.isPending}>
          {t('instance.archive')}
        </Button>
      )}
      <Remove id={instance.id} />
    </>
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
