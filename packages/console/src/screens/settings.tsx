import { Alert, Badge, Button, Group, NumberInput, Stack, Switch, Table, TagsInput, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay, useSession } from '../api/session.tsx';
import { say, useAct } from '../parts/act.ts';
import { ActForm } from '../parts/act-form.tsx';
import { useMomentText } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { QueueSettings } from '../parts/queue-settings.tsx';
import { useSafeSave } from '../parts/safe-save.tsx';
import { Failed, Guarded, Waiting } from '../parts/states.tsx';
import { useDraft } from '../parts/use-draft.ts';
import { useT } from '../texts/texts.tsx';

type SettingsView = Result<'processSettings', 'get'>;

/** The settings of all verifications of the tenant, and what will be deleted next. */
export function Settings() {
  const t = useT();
  const may = useMay();
  const environment = useEnvironment();
  const { tenantId, region } = useSession();
  const query = useQuery({
    queryKey: [environment, 'settings'],
    queryFn: () => call('processSettings', 'get', {}),
    enabled: may('processSettings', 'get'),
  });
  return (
    <Guarded group="processSettings" name="get">
      <Page title={t('settings.title')}>
        <Group gap="xs">
          <Badge variant="default" tt="none">
            {tenantId}
          </Badge>
          <Badge variant="default">{region}</Badge>
        </Group>
        {query.isPending && <Waiting />}
        {query.isError && <Failed error={query.error} retry={() => query.refetch()} />}
        {query.data && <Form key={environment} of={query.data} />}
        {may('health', 'get') && <Health />}
        {may('retention', 'preview') && <Retention />}
      </Page>
    </Guarded>
  );
}

type SettingsFields = Omit<SettingsView, 'lastUpdatedDtm'>;

function storedFieldsOf({ lastUpdatedDtm, ...fields }: SettingsView): {
  fields: SettingsFields;
  lastUpdatedDtm: string;
} {
  return { fields, lastUpdatedDtm };
}

/** The settings while they are edited. */
function useSettings(of: SettingsView) {
  const t = useT();
  const draft = useDraft(storedFieldsOf(of));
  const { fields: settings, change, isChanged, ifLastUpdatedDtm } = draft;
  const { act: save, conflict } = useSafeSave({
    save: (isSure) => call('processSettings', 'update', { query: isSure ? {} : { ifLastUpdatedDtm }, body: settings }),
    fetchTheirs: async () => storedFieldsOf(await call('processSettings', 'get', {})).fields,
    mine: settings,
    onSaved(result) {
      draft.follow(storedFieldsOf(result));
      say(t('settings.saved'));
    },
    onTheirs: draft.reset,
  });
  return { settings, change, isChanged, save, conflict };
}

const NUMBERS = [
  { name: 'reviewDueHours', max: 8760 },
  { name: 'secondReviewPercent', max: 100 },
] as const;

function Form({ of }: { of: SettingsView }) {
  const t = useT();
  const may = useMay();
  const { settings, change, isChanged, save, conflict } = useSettings(of);
  const flags = ['fourEyes', 'allowSpecimens', 'lenientRequests'] as const;
  return (
    <ActForm act={save} submitLabel={t('app.save')} isDisabled={!isChanged || !may('processSettings', 'update')}>
      {flags.map((name) => (
        <Switch
          key={name}
          label={t(`settings.${name}`)}
          description={t(`settings.${name}Hint`)}
          checked={settings[name]}
          onChange={(event) => change({ [name]: event.currentTarget.checked })}
        />
      ))}
      <TagsInput
        label={t('settings.redirectOrigins')}
        description={t('settings.redirectOriginsHint')}
        value={settings.redirectOrigins}
        onChange={(redirectOrigins) => change({ redirectOrigins })}
      />
      <TagsInput
        label={t('settings.embedOrigins')}
        description={t('settings.embedOriginsHint')}
        value={settings.embedOrigins}
        onChange={(embedOrigins) => change({ embedOrigins })}
      />
      <TagsInput
        label={t('settings.reviewReasons')}
        description={t('settings.reviewReasonsHint')}
        value={settings.reviewReasons}
        onChange={(reviewReasons) => change({ reviewReasons })}
        maxTags={9}
        splitChars={[';']}
      />
      {NUMBERS.map(({ name, max }) => (
        <NumberInput
          key={name}
          label={t(`settings.${name}`)}
          description={t(`settings.${name}Hint`)}
          value={settings[name]}
          min={0}
          max={max}
          allowDecimal={false}
          onChange={(next) => change({ [name]: Number(next) || 0 })}
        />
      ))}
      <QueueSettings queues={settings.reviewQueues} onQueues={(reviewQueues) => change({ reviewQueues })} />
      <NumberInput
        label={t('settings.readBudget')}
        description={t('settings.readBudgetHint')}
        value={settings.readBudget.personsPerHour}
        min={1}
        onChange={(next) => change({ readBudget: { ...settings.readBudget, personsPerHour: Number(next) || 1 } })}
      />
      <Switch
        label={t('settings.block')}
        checked={settings.readBudget.block}
        onChange={(event) => change({ readBudget: { ...settings.readBudget, block: event.currentTarget.checked } })}
      />
      {conflict}
    </ActForm>
  );
}

/** The version of the server, and the pending work of this tenant. */
function Health() {
  const t = useT();
  const momentText = useMomentText();
  const { data } = useQuery({
    queryKey: ['health'],
    queryFn: () => call('health', 'get', {}),
    refetchInterval: HEALTH_EVERY_MS,
  });
  if (!data) return null;
  const { version, database, jobs, deadJobs, webhookDeliveries } = data;
  const since = (at: string | undefined) => (at ? ` · ${t('health.since', { time: momentText(at) })}` : '');
  const rows = [
    [t('health.version'), `Grove ${version} · ${database}`],
    [t('health.jobs'), `${jobs.waiting}${since(jobs.oldestDueDtm)}`],
    [t('health.deadJobs'), String(deadJobs)],
    [t('health.deliveries'), `${webhookDeliveries.waiting}${since(webhookDeliveries.oldestDueDtm)}`],
  ];
  return (
    <section className="card" aria-label={t('health.title')}>
      <Title order={2} size="h5" mb="xs">
        {t('health.title')}
      </Title>
      <Table>
        <Table.Tbody>
          {rows.map(([label, value]) => (
            <Table.Tr key={label}>
              <Table.Td>{label}</Table.Td>
              <Table.Td>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

const HEALTH_EVERY_MS = 15_000;

function Retention() {
  const t = useT();
  const may = useMay();
  const momentText = useMomentText();
  const environment = useEnvironment();
  const { data } = useQuery({
    queryKey: [environment, 'retention'],
    queryFn: () => call('retention', 'preview', {}),
  });
  const run = useAct(
    () => call('retention', 'run', { body: {} }),
    ({ purged }) => say(t('settings.purged', { n: purged })),
  );
  if (!data) return null;
  const { due, inReview, oldestCreatedDtm, clockFault } = data;
  return (
    <section className="card">
      <Stack gap="xs" align="flex-start">
        <Title order={2} size="h5">
          {t('settings.retention')}
        </Title>
        <Text size="sm">
          {t('settings.due', { n: due })}{' '}
          {oldestCreatedDtm && t('settings.oldest', { time: momentText(oldestCreatedDtm) })}{' '}
          {inReview > 0 && t('settings.dueInReview', { n: inReview })}
        </Text>
        {clockFault && (
          <Alert color="red" variant="light">
            {clockFault}
          </Alert>
        )}
        {may('retention', 'run') && due > 0 && (
          <Button size="xs" color="red.9" onClick={() => run.mutate(undefined)} loading={run.isPending}>
            {t('settings.runNow')}
          </Button>
        )}
      </Stack>
    </section>
  );
}
