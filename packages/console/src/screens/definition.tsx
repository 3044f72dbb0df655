import { Alert, Button, Group, JsonInput, List, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useBlocker, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type ArgumentsOf, call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { useAct } from '../parts/act.ts';
import { WordTag } from '../parts/badges.tsx';
import { Outline, type Step } from '../parts/outline.tsx';
import { Page } from '../parts/page.tsx';
import { Failed, Guarded, Waiting } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';

type DefinitionView = Result<'processDefinitions', 'get'>;
type Document = NonNullable<ArgumentsOf<'processDefinitions', 'create'>['body']>;

const STARTER = {
  name: 'my-verification',
  processDefinitionType: 'VERIFICATION',
  steps: [
    { id: 'document', type: 'document' },
    { id: 'selfie', type: 'face' },
    { id: 'decide', type: 'decision' },
  ],
};

/** A version of a definition: its document, checked while one types. A deployed version is only read. */
export function Definition() {
  const { id = '' } = useParams({ strict: false });
  const environment = useEnvironment();
  const isNew = id === 'new';
  const query = useQuery({
    queryKey: [environment, 'definition', id],
    queryFn: () => call('processDefinitions', 'get', { params: { processDefinitionId: id } }),
    enabled: !isNew,
  });
  return (
    <Guarded group="processDefinitions" name="get">
      {isNew ? (
        <Editor view={undefined} />
      ) : query.data ? (
        <Editor key={query.data.id + query.data.lastUpdatedDtm} view={query.data} />
      ) : query.isPending ? (
        <Waiting />
      ) : (
        <Failed error={query.error} retry={() => query.refetch()} />
      )}
    </Guarded>
  );
}

function Editor({ view }: { view: DefinitionView | undefined }) {
  const t = useT();
  const may = useMay();
  const navigate = useNavigate();
  const first = JSON.stringify(view?.document ?? STARTER, null, 2);
  const [text, putText] = useState(first);
  const [past, setPast] = useState<readonly string[]>([]);
  const [form, setForm] = useState<'outline' | 'document'>('outline');
  const setText = (next: string) => {
    setPast([...past, text].slice(-MAX_UNDO));
    putText(next);
  };
  const undo = () => {
    putText(past.at(-1) ?? text);
    setPast(past.slice(0, -1));
  };
  const isEditable = view === undefined || view.status === 'EDITABLE';
  const isChanged = text !== first;
  useBlocker({ shouldBlockFn: () => isChanged && !confirm(t('definitions.unsaved')) });
  const params = { processDefinitionId: view?.id ?? '' };
  const open = ({ id }: { id: string }) => navigate({ to: `/definitions/${id}`, ignoreBlocker: true } as never);
  const body = () => JSON.parse(text) as Document;
  const store = useAct(
    () =>
      view && isEditable
        ? call('processDefinitions', 'update', { params, body: body() })
        : call('processDefinitions', 'create', { body: body() }),
    open,
  );
  const deploy = useAct(() => call('processDefinitions', 'deploy', { params, body: {} }));
  const archive = useAct(() => call('processDefinitions', 'archive', { params, body: {} }));
  const canStore = may('processDefinitions', view && isEditable ? 'update' : 'create');
  return (
    <Page
      title={view ? `${view.name} v${view.version}` : t('definitions.new')}
      actions={
        <>
          {view && <WordTag word={view.status} />}
          {view && may('whatIf', 'run') && (
            <Button variant="default" component={Link} to="/what-if" search={{ definition: view.id } as never}>
              {t('whatIf.title')}
            </Button>
          )}
          {view?.status === 'DEPLOYED_ACTIVE' && may('processDefinitions', 'archive') && (
            <Button variant="default" onClick={() => archive.mutate(undefined)} loading={archive.isPending}>
              {t('definitions.archive')}
            </Button>
          )}
          {view?.status === 'EDITABLE' && may('processDefinitions', 'deploy') && (
            <Button
              variant="default"
              onClick={() => deploy.mutate(undefined)}
              loading={deploy.isPending}
              disabled={isChanged}
            >
              {t('definitions.deploy')}
            </Button>
          )}
          {canStore && (
            <Button onClick={() => store.mutate(undefined)} loading={store.isPending} disabled={view && !isChanged}>
              {t(isEditable ? 'app.save' : 'definitions.saveAsNext')}
            </Button>
          )}
        </>
      }
    >
      <Stack>
        <Group>
          <SegmentedControl
            aria-label={t('definitions.document')}
            value={form}
            data={[
              { value: 'outline', label: t('outline.title') },
              { value: 'document', label: t('definitions.document') },
            ]}
            onChange={(next) => setForm(next === 'outline' ? 'outline' : 'document')}
          />
          {canStore && (
            <Button variant="default" disabled={past.length === 0} onClick={undo}>
              {t('outline.undo')}
            </Button>
          )}
        </Group>
        {form === 'outline' ? (
          <OutlineOf text={text} onText={setText} isReadOnly={!canStore} />
        ) : (
          <JsonInput
            label={t('definitions.document')}
            description={t('definitions.documentHint')}
            value={text}
            onChange={setText}
            autosize
            minRows={12}
            maxRows={40}
            readOnly={!canStore}
            className="code"
            spellCheck={false}
          />
        )}
        {may('processDefinitions', 'validate') && <Faults text={text} />}
      </Stack>
    </Page>
  );
}

/** Changes that can be undone. */
const MAX_UNDO = 50;

type OutlineOfProps = { text: string; onText(text: string): void; isReadOnly: boolean };

function OutlineOf({ text, onText, isReadOnly }: OutlineOfProps) {
  const t = useT();
  const document = readDocument(text);
  if (!document) return <Alert color="red">{t('outline.notJson')}</Alert>;
  const steps = (Array.isArray(document.steps) ? document.steps : []) as Step[];
  return (
    <Stack>
      <TextInput
        label={t('keys.name')}
        value={String(document.name ?? '')}
        readOnly={isReadOnly}
        onChange={(event) => onText(JSON.stringify({ ...document, name: event.currentTarget.value }, null, 2))}
        maxLength={50}
        required
      />
      <Outline
        steps={steps}
        isReadOnly={isReadOnly}
        onSteps={(next) => onText(JSON.stringify({ ...document, steps: next }, null, 2))}
      />
    </Stack>
  );
}

function readDocument(text: string): Record<string, unknown> | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const WAIT_MS = 400;

/** What deployment would refuse, while one types. */
function Faults({ text }: { text: string }) {
  const t = useT();
  const environment = useEnvironment();
  const [settled] = useDebouncedValue(text, WAIT_MS);
  const query = useQuery({
    queryKey: [environment, 'validate', settled],
    queryFn: () => call('processDefinitions', 'validate', { body: JSON.parse(settled) as Document }),
    retry: false,
  });
  if (query.isPending) return null;
  if (query.isError) {
    return (
      <Alert color="red" variant="light" title={t('definitions.faults')}>
        {query.error.message}
      </Alert>
    );
  }
  const { faults } = query.data;
  if (faults.length === 0) {
    return (
      <Text size="sm" c="dimmed" role="status">
        {t('definitions.sound')}
      </Text>
    );
  }
  return (
    <Alert color="red" variant="light" title={t('definitions.faults')} role="status">
      <List size="sm">
        {faults.map(({ pointer, message }) => (
          <List.Item key={`${pointer}${message}`}>
            <code>{pointer}</code> {message}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
