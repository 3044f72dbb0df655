import { Alert, Anchor, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { setEnvironment, useEnvironment } from '../api/environment.ts';
import { useMay, useSession } from '../api/session.tsx';
import { useAct } from '../parts/act.ts';
import { StatusTag } from '../parts/badges.tsx';
import { statusWord } from '../parts/instance-status.ts';
import { Page } from '../parts/page.tsx';
import { Forbidden, Guarded, Waiting } from '../parts/states.tsx';
import { type TextKey, useT } from '../texts/texts.tsx';

type DefinitionRow = Result<'processDefinitions', 'list'>['content'][number];
type Trial = Result<'processInstances', 'create'>;

const FIRST_DEFINITION = 'document-and-selfie';
/** By default a person decides, because newcomers want to see a case. */
const FIRST_SCENARIO = 'face-mismatch';
const WORDS: Readonly<Record<string, TextKey>> = {
  passed: 'try.passed',
  'face-mismatch': 'try.faceMismatch',
  'document-blurred-once': 'try.blurredOnce',
  'document-expired': 'try.expired',
};
const MAX_CHOICES = 200;

/** Runs a definition in the sandbox, in a frame like a phone, and leads to its case. */
export function TryOut() {
  const { environments } = useSession();
  const environment = useEnvironment();
  const hasTest = environments.includes('test');
  useEffect(() => {
    if (hasTest) setEnvironment('test');
  }, [hasTest]);
  if (!hasTest) return <Forbidden permission="test" />;
  return (
    <Guarded group="processInstances" name="create">
      {environment === 'test' ? <Sandbox /> : <Waiting />}
    </Guarded>
  );
}

function Sandbox() {
  const t = useT();
  const [trial, setTrial] = useState<Trial>();
  return (
    <Page title={t('try.title')}>
      <Text size="sm">{t('try.lead')}</Text>
      <div className="try">
        <Stack>
          <Choices onStarted={setTrial} isAgain={trial !== undefined} />
          {trial && <Outcome key={trial.processInstanceId} id={trial.processInstanceId} />}
        </Stack>
        {trial ? <Phone key={trial.processInstanceId} url={trial.redirectUrl} /> : <EmptyPhone />}
      </div>
    </Page>
  );
}

function Choices({ onStarted, isAgain }: { onStarted(trial: Trial): void; isAgain: boolean }) {
  const t = useT();
  const may = useMay();
  const navigate = useNavigate();
  const { definition: definitionId } = useSearch({ strict: false }) as { definition?: string };
  const [scenario, setScenario] = useState(FIRST_SCENARIO);
  const definitions = useQuery({
    queryKey: ['test', 'deployed-definitions'],
    queryFn: () => call('processDefinitions', 'list', { query: { status: 'DEPLOYED_ACTIVE', size: MAX_CHOICES } }),
  });
  const scenarios = useQuery({
    queryKey: ['scenarios'],
    queryFn: () => call('sandbox', 'listScenarios', { query: { size: MAX_CHOICES } }),
    enabled: may('sandbox', 'listScenarios'),
  });
  const all = definitions.data?.content ?? [];
  const definition =
    all.find(({ id }) => id === definitionId) ?? all.find(({ name }) => name === FIRST_DEFINITION) ?? all[0];
  const scenarioRows = scenarios.data?.content ?? [];
  const start = useAct(() => startTrial(definition as DefinitionRow, scenario), onStarted);
  return (
    <>
      <Select
        label={t('instances.definition')}
        data={all.map(({ id, name, version }) => ({ value: id, label: `${name} v${version}` }))}
        value={definition?.id ?? null}
        onChange={(id) => navigate({ to: '/try', search: { definition: id ?? undefined } as never, replace: true })}
        allowDeselect={false}
        searchable
      />
      <Select
        label={t('try.scenario')}
        // Scenarios with a text of ours do not need the server's description, which is in English.
        description={WORDS[scenario] ? undefined : scenarioRows.find(({ name }) => name === scenario)?.description}
        data={scenarioRows.map(({ name }) => ({ value: name, label: WORDS[name] ? t(WORDS[name]) : name }))}
        value={scenario}
        onChange={(name) => setScenario(name ?? FIRST_SCENARIO)}
        allowDeselect={false}
        searchable
      />
      <Group>
        <Button
          onClick={() => start.mutate(undefined)}
          loading={start.isPending}
          disabled={!definition}
          variant={isAgain ? 'default' : 'filled'}
        >
          {t(isAgain ? 'try.again' : 'try.start')}
        </Button>
      </Group>
    </>
  );
}

/** Uses one start link per definition, so that trials do not fill the list of links. */
async function startTrial({ id, name, version }: DefinitionRow, scenario: string): Promise<Trial> {
  const tokenName = `Console ${id}`;
  const { content } = await call('processTokens', 'list', { query: { processTokenSearch: tokenName, size: 1 } });
  const token =
    content[0] ??
    (await call('processTokens', 'create', {
      body: { name: tokenName, description: name, processDefnName: name, processDefnVersion: version },
    }));
  const body = { parameters: { _scenario: scenario } };
  return call('processInstances', 'create', { query: { pt: token.id }, body });
}

const POLL_MS = 1500;
const OPEN: ReadonlySet<string> = new Set(['PENDING', 'ACTIVE', 'PAUSED']);

/** The result of the trial, and where to continue. */
function Outcome({ id }: { id: string }) {
  const t = useT();
  const { data } = useQuery({
    queryKey: ['test', 'trial', id],
    queryFn: () => call('processInstances', 'get', { params: { processInstanceId: id } }),
    refetchInterval: ({ state }) => (OPEN.has(state.data?.status ?? 'ACTIVE') ? POLL_MS : false),
  });
  if (!data) return null;
  const isInReview = data.status === 'REVIEW';
  return (
    <Alert variant="light" color={OPEN.has(data.status) ? 'gray' : 'teal'} role="status">
      <Stack gap="xs" align="flex-start">
        <StatusTag status={statusWord(data.status)} />
        {OPEN.has(data.status) ? (
          <Text size="sm">{t('try.under')}</Text>
        ) : isInReview ? (
          <>
            <Text size="sm">{t('try.toReview')}</Text>
            <Button component={Link} to={`/reviews/${id}`}>
              {t('try.review')}
            </Button>
          </>
        ) : (
          <Anchor component={Link} to={`/instances/${id}`} size="sm">
            {t('try.see')}
          </Anchor>
        )}
      </Stack>
    </Alert>
  );
}

/** The journey itself. If journeys have their own origin, it opens in a new tab. */
function Phone({ url }: { url: string }) {
  const t = useT();
  const frame = useRef<HTMLIFrameElement>(null);
  const address = new URL(url);
  const isOwn = address.origin === location.origin;
  useEffect(() => frame.current?.focus(), []);
  if (!isOwn) {
    return (
      <Anchor href={url} target="_blank" rel="noopener">
        {t('tokens.open')}
      </Anchor>
    );
  }
  address.searchParams.set('embed', location.origin);
  return <iframe ref={frame} src={address.href} title={t('try.phone')} className="phone" allow="camera" />;
}

function EmptyPhone() {
  const t = useT();
  return (
    <div className="phone phone-empty">
      <Text size="sm" c="dimmed" ta="center">
        {t('try.empty')}
      </Text>
    </div>
  );
}
