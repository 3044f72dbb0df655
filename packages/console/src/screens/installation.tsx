import { Alert, Button, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useMay, useSession } from '../api/session.tsx';
import { useAct } from '../parts/act.ts';
import { ActForm } from '../parts/act-form.tsx';
import { WordTag } from '../parts/badges.tsx';
import { ConfirmByTyping, Dialog, OnceShown } from '../parts/dialogs.tsx';
import { NameFilter, useFilters } from '../parts/filters.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Forbidden, Guarded } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';

type TenantRow = Result<'installation', 'listTenants'>['content'][number];
type Created = Result<'installation', 'createTenant'>;

/** All tenants and the queue of the installation, for operators who were granted this on the machine. */
export function Installation() {
  const t = useT();
  const { ofInstallation } = useSession();
  if (!ofInstallation) return <Forbidden detail={t('installation.notGranted')} />;
  return (
    <Guarded group="installation" name="listTenants">
      <Tenants />
    </Guarded>
  );
}

function Tenants() {
  const t = useT();
  const may = useMay();
  const { filters } = useFilters<'name'>();
  const [isMaking, setMaking] = useState(false);
  const [created, setCreated] = useState<Created>();
  const columns: Column<TenantRow>[] = [
    { title: t('installation.id'), sort: 'id', show: ({ id }) => <strong>{id}</strong>, text: ({ id }) => id },
    { title: t('keys.name'), show: ({ name }) => <bdi>{name}</bdi>, text: ({ name }) => name },
    { title: t('keys.status'), show: ({ status }) => <WordTag word={status} />, text: ({ status }) => status },
    {
      title: t('instances.created'),
      show: ({ createdDtm }) => <Moment at={createdDtm} />,
      text: ({ createdDtm }) => createdDtm,
    },
  ];
  return (
    <Page
      title={t('installation.title')}
      actions={
        may('installation', 'createTenant') && <Button onClick={() => setMaking(true)}>{t('installation.new')}</Button>
      }
    >
      <NameFilter />
      <List<TenantRow>
        group="installation"
        name="listTenants"
        query={{ name: filters.name }}
        label={t('installation.tenants')}
        columns={columns}
        keyOf={({ id }) => id}
        actionsOf={(row) => <TenantActions row={row} />}
      />
      {may('installation', 'getQueues') && <Queues />}
      <Dialog opened={isMaking} onClose={() => setMaking(false)} title={t('installation.new')}>
        <NewTenant
          onMade={(next) => {
            setMaking(false);
            setCreated(next);
          }}
        />
      </Dialog>
      <OnceShown
        title={t('operators.linkTitle')}
        lead={t('installation.ownerLead', { name: created?.tenant.name ?? '' })}
        value={created?.ownerUrl}
        onClose={() => setCreated(undefined)}
      />
    </Page>
  );
}

function NewTenant({ onMade }: { onMade(created: Created): void }) {
  const t = useT();
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const make = useAct(() => call('installation', 'createTenant', { body: { id, ...(name && { name }) } }), onMade);
  return (
    <ActForm act={make} submitLabel={t('app.create')}>
      <TextInput
        label={t('installation.id')}
        description={t('installation.idHint')}
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
        pattern="[a-z][a-z0-9\-]{2,39}"
        maxLength={40}
        required
        data-autofocus
      />
      <TextInput
        label={t('keys.name')}
        description={t('installation.nameHint')}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
      />
    </ActForm>
  );
}

function TenantActions({ row: { id, status } }: { row: TenantRow }) {
  const t = useT();
  const may = useMay();
  const { tenantId } = useSession();
  const [isAsking, setAsking] = useState(false);
  const params = { tenantId: id };
  const suspend = useAct(
    () => call('installation', 'suspendTenant', { params, body: {} }),
    () => setAsking(false),
  );
  const resume = useAct(() => call('installation', 'resumeTenant', { params, body: {} }));
  if (id === tenantId) return <Text size="xs">{t('installation.own')}</Text>;
  return (
    <>
      {status === 'ACTIVE' && may('installation', 'suspendTenant') && (
        <Button size="compact-xs" variant="default" onClick={() => setAsking(true)}>
          {t('operators.suspend')}
        </Button>
      )}
      {status === 'SUSPENDED' && may('installation', 'resumeTenant') && (
        <Button size="compact-xs" variant="default" onClick={() => resume.mutate(undefined)} loading={resume.isPending}>
          {t('operators.activate')}
        </Button>
      )}
      <ConfirmByTyping
        title={t('operators.suspend')}
        lead={t('installation.suspendLead')}
        expected={id}
        submitLabel={t('operators.suspend')}
        opened={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => suspend.mutate(undefined)}
        isBusy={suspend.isPending}
      />
    </>
  );
}

const EVERY_MS = 15_000;

/** The waiting and the dead jobs of the queue. */
function Queues() {
  const t = useT();
  const may = useMay();
  const { data } = useQuery({
    queryKey: ['queues'],
    queryFn: () => call('installation', 'getQueues', {}),
    refetchInterval: EVERY_MS,
  });
  const retry = useAct((jobId: string) => call('installation', 'retryJob', { params: { jobId }, body: {} }));
  if (!data) return null;
  return (
    <Stack component="section" aria-label={t('installation.queue')}>
      <Title order={2} size="h5">
        {t('installation.queue')} · Grove {data.version}
      </Title>
      <Table className="list" verticalSpacing="xs">
        <caption className="hidden">{t('installation.queue')}</caption>
        <Table.Tbody>
          {data.queues.map(({ kind, state, count, oldestDtm }) => (
            <Table.Tr key={`${kind} ${state}`}>
              <Table.Td data-title={t('installation.kind')}>{kind}</Table.Td>
              <Table.Td data-title={t('keys.status')}>
                <WordTag word={state} />
              </Table.Td>
              <Table.Td data-title={t('installation.count')}>{count}</Table.Td>
              <Table.Td data-title={t('installation.oldest')}>
                <Moment at={oldestDtm} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {data.deadJobs.map(({ id, kind, tenantId, error }) => (
        <Alert key={id} color="red" variant="light" title={[kind, tenantId].filter(Boolean).join(' · ')}>
          <Stack gap="xs" align="flex-start">
            <Text size="sm">{error}</Text>
            {may('installation', 'retryJob') && (
              <Button size="compact-xs" variant="default" onClick={() => retry.mutate(id)} loading={retry.isPending}>
                {t('app.retry')}
              </Button>
            )}
          </Stack>
        </Alert>
      ))}
    </Stack>
  );
}
