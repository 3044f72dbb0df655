import { Button, Code, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { say, useAct } from '../parts/act.ts';
import { ActForm } from '../parts/act-form.tsx';
import { useWord, WordTag } from '../parts/badges.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Dialog, OnceShown } from '../parts/dialogs.tsx';
import { FilterChips, useFilters } from '../parts/filters.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Failed, Guarded, Waiting } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';
import { WebhookForm } from './webhooks.tsx';

type WebhookView = Result<'webhooks', 'get'>;
type DeliveryRow = Result<'webhooks', 'listDeliveries'>['content'][number];

export function Webhook() {
  const { id = '' } = useParams({ strict: false });
  const environment = useEnvironment();
  const query = useQuery({
    queryKey: [environment, 'webhook', id],
    queryFn: () => call('webhooks', 'get', { params: { webhookId: id } }),
  });
  return (
    <Guarded group="webhooks" name="get">
      {query.data ? (
        <WebhookPage webhook={query.data} />
      ) : query.isPending ? (
        <Waiting />
      ) : (
        <Failed error={query.error} retry={() => query.refetch()} />
      )}
    </Guarded>
  );
}

function WebhookPage({ webhook }: { webhook: WebhookView }) {
  const t = useT();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <Page title={webhook.name} actions={<WebhookActions webhook={webhook} />}>
      <Dialog opened={isOpen} onClose={close} title={t('roles.editNamed', { name: webhook.name })}>
        <WebhookForm of={webhook} onMade={close} />
      </Dialog>
      <Stack gap={4}>
        <Group gap="xs">
          <WordTag word={webhook.status} />
          <Text className="wrap">{webhook.uri}</Text>
          {may('webhooks', 'update') && (
            <Button size="compact-xs" variant="default" onClick={() => setOpen(true)}>
              {t('roles.edit')}
            </Button>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {webhook.events.join(', ')}
        </Text>
      </Stack>
      <Guarded group="webhooks" name="listDeliveries">
        <Deliveries
          id={webhook.id}
          title={t('webhooks.deliveries')}
          maxAttempts={webhook.retryIntervalsMs.length + 1}
        />
      </Guarded>
    </Page>
  );
}

type DeliveriesProps = { id: string; title: string; maxAttempts: number };

function Deliveries({ id, title, maxAttempts }: DeliveriesProps) {
  const t = useT();
  const may = useMay();
  const word = useWord();
  const { filters, set } = useFilters<'status'>();
  const status = DELIVERY_STATUSES.find((each) => each === filters.status);
  const [deliveryId, setDeliveryId] = useState<string>();
  const columns: Column<DeliveryRow>[] = [
    { title: t('webhooks.event'), show: (row) => row.event, text: (row) => row.event },
    { title: t('keys.status'), show: (row) => <WordTag word={row.status} />, text: (row) => row.status },
    {
      title: t('webhooks.attempts'),
      show: ({ attempts }) => `${attempts} / ${maxAttempts}`,
      text: ({ attempts }) => String(attempts),
    },
    { title: t('webhooks.answer'), show: (row) => <bdi dir="ltr">{answerOf(row)}</bdi>, text: answerOf },
    {
      title: t('instances.created'),
      sort: 'createdDtm',
      show: (row) => <Moment at={row.createdDtm} />,
      text: (row) => row.createdDtm,
    },
  ];
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      <NativeSelect
        label={t('keys.status')}
        value={status ?? ''}
        data={[
          { value: '', label: t('instances.all') },
          ...DELIVERY_STATUSES.map((value) => ({ value, label: word(value) })),
        ]}
        onChange={(event) => set({ status: event.currentTarget.value || undefined })}
        mb="sm"
      />
      <FilterChips active={[{ name: 'status', label: t('keys.status'), value: status && word(status) }]} />
      <List<DeliveryRow>
        group="webhooks"
        name="listDeliveries"
        params={{ webhookId: id }}
        query={{ status }}
        label={title}
        columns={columns}
        keyOf={(row) => row.id}
        actionsOf={(row) => (
          <Group gap={4} justify="flex-end" wrap="nowrap">
            {may('webhooks', 'getDelivery') && (
              <Button size="compact-xs" variant="default" onClick={() => setDeliveryId(row.id)}>
                {t('outline.show')}
              </Button>
            )}
            {may('webhooks', 'replay') && <Replay id={id} deliveryId={row.id} />}
          </Group>
        )}
      />
      <Dialog
        opened={deliveryId !== undefined}
        onClose={() => setDeliveryId(undefined)}
        title={t('webhooks.delivery')}
        size="lg"
      >
        {deliveryId && <Delivery id={id} deliveryId={deliveryId} />}
      </Dialog>
    </section>
  );
}

/** What was sent, and the response of the endpoint if it refused. */
function Delivery({ id, deliveryId }: { id: string; deliveryId: string }) {
  const t = useT();
  const environment = useEnvironment();
  const { data, error } = useQuery({
    queryKey: [environment, 'delivery', id, deliveryId],
    queryFn: () => call('webhooks', 'getDelivery', { params: { webhookId: id, deliveryId } }),
  });
  if (error) return <Failed error={error} />;
  if (!data) return <Waiting />;
  return (
    <Stack>
      <Text size="sm">
        <WordTag word={data.status} /> {answerOf(data)} · <Moment at={data.lastAttempt?.dateTime} />
      </Text>
      <Text size="sm" fw={600}>
        {t('webhooks.request')}
      </Text>
      <Code block className="wrap" dir="ltr">
        {JSON.stringify(data.payload, null, 2)}
      </Code>
      <Text size="sm" fw={600}>
        {t('webhooks.response')}
      </Text>
      {data.answer ? (
        <Code block className="wrap" dir="ltr">
          {data.answer}
        </Code>
      ) : (
        <Text size="sm" c="dimmed">
          {t('webhooks.noResponse')}
        </Text>
      )}
    </Stack>
  );
}

const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED'];

function answerOf({ lastAttempt }: Pick<DeliveryRow, 'lastAttempt'>): string {
  if (!lastAttempt) return '–';
  const { statusCode, error, milliseconds } = lastAttempt;
  return `${statusCode ?? error ?? ''} · ${milliseconds} ms`;
}

function Replay({ id, deliveryId }: { id: string; deliveryId: string }) {
  const t = useT();
  const act = useAct(() => call('webhooks', 'replay', { params: { webhookId: id, deliveryId }, body: {} }));
  return (
    <Button size="compact-xs" variant="default" onClick={() => act.mutate(undefined)} loading={act.isPending}>
      {t('webhooks.replay')}
    </Button>
  );
}

const HOUR_MS = 3_600_000;
/** The time ranges for which failed deliveries can be sent again. */
const SINCE_HOURS = [1, 24, 7 * 24, 30 * 24];

/** Sends all deliveries again that have failed since a time, each under its old id. */
function Recover({ id, onDone }: { id: string; onDone(): void }) {
  const t = useT();
  const [hours, setHours] = useState('24');
  const recover = useAct(
    () => {
      const sinceDtm = new Date(Date.now() - Number(hours) * HOUR_MS).toISOString();
      return call('webhooks', 'recover', { params: { webhookId: id }, body: { sinceDtm } });
    },
    ({ deliveries }) => {
      say(t('webhooks.recovered', { n: deliveries }));
      onDone();
    },
  );
  return (
    <ActForm act={recover} submitLabel={t('webhooks.replay')}>
      <NativeSelect
        label={t('webhooks.since')}
        value={hours}
        data={SINCE_HOURS.map((value) => ({
          value: String(value),
          label: value < 24 ? t('webhooks.hours', { n: value }) : t('usage.days', { n: value / 24 }),
        }))}
        onChange={(event) => setHours(event.currentTarget.value)}
        data-autofocus
      />
    </ActForm>
  );
}

function WebhookActions({ webhook: { id, name, status } }: { webhook: WebhookView }) {
  const t = useT();
  const may = useMay();
  const navigate = useNavigate();
  const params = { webhookId: id };
  const [secret, setSecret] = useState<string>();
  const isActive = status === 'ACTIVE';
  const test = useAct(
    () => call('webhooks', 'test', { params, body: {} }),
    () => say(t('webhooks.tested')),
  );
  const rotate = useAct(
    () => call('webhooks', 'rotateSecret', { params, body: {} }),
    (rotation) => setSecret(rotation.secret),
  );
  const change = useAct(() =>
    call('webhooks', 'update', { params, body: { status: isActive ? 'DISABLED' : 'ACTIVE' } }),
  );
  const [isRecovering, setRecovering] = useState(false);
  const buttons = [
    { isShown: may('webhooks', 'test'), label: t('webhooks.test'), act: () => test.mutate(undefined) },
    { isShown: may('webhooks', 'recover'), label: t('webhooks.recover'), act: () => setRecovering(true) },
    { isShown: may('webhooks', 'rotateSecret'), label: t('webhooks.rotate'), act: () => rotate.mutate(undefined) },
    {
      isShown: may('webhooks', 'update'),
      label: t(isActive ? 'webhooks.disable' : 'webhooks.enable'),
      act: () => change.mutate(undefined),
    },
  ];
  return (
    <>
      {buttons
        .filter(({ isShown }) => isShown)
        .map(({ label, act }) => (
          <Button key={label} size="xs" variant="default" onClick={act}>
            {label}
          </Button>
        ))}
      <Dialog opened={isRecovering} onClose={() => setRecovering(false)} title={t('webhooks.recover')}>
        <Recover id={id} onDone={() => setRecovering(false)} />
      </Dialog>
      <OnceShown
        title={t('webhooks.secretTitle')}
        lead={`${t('webhooks.secretLead')} ${t('webhooks.bothValid')}`}
        value={secret}
        onClose={() => setSecret(undefined)}
      />
      {may('webhooks', 'delete') && (
        <DeleteButton
          size="xs"
          name={name}
          lead={t('webhooks.deleteLead')}
          remove={() => call('webhooks', 'delete', { params })}
          onDone={() => navigate({ to: '/webhooks' })}
        />
      )}
    </>
  );
}
