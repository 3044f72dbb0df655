import { Alert, Button, Group, NumberInput, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { type ArgumentsOf, CallError, CHANGED_MEANWHILE, call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { lazily } from '../api/when-unreachable.ts';
import { useAct } from '../parts/act.ts';
import { Canvas } from '../parts/canvas.tsx';
import { Faults, useFaults } from '../parts/definition-faults.tsx';
import { Compare, DefinitionActions, Tags } from '../parts/definition-tools.tsx';
import { Diff } from '../parts/diff.tsx';
import { Outline, type Step } from '../parts/outline.tsx';
import { Page } from '../parts/page.tsx';
import { Failed, Guarded, Waiting } from '../parts/states.tsx';
import { useLeaveGuard } from '../parts/use-leave-guard.ts';
import { useT } from '../texts/texts.tsx';

// Loaded when the document is opened, because the editor is large.
const CodeEditor = lazily(() => import('../parts/code-editor.tsx'), 'CodeEditor');

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
/** The number of changes that can be undone. */
const MAX_UNDO = 50;
const MAX_NAME = 50;
const COPY = '-copy';
/** The limits of the schema of a definition. */
const DEFAULT_RETENTION_DAYS = 30;
const MAX_RETENTION_DAYS = 3650;

/** A version of a definition, which is validated while the operator types. A deployed version is read-only. */
export function Definition() {
  const { id = '' } = useParams({ strict: false });
  const { from } = useSearch({ strict: false }) as { from?: string };
  const environment = useEnvironment();
  const isNew = id === 'new';
  const of = isNew ? from : id;
  const query = useQuery({
    queryKey: [environment, 'definition', of],
    queryFn: () => call('processDefinitions', 'get', { params: { processDefinitionId: of ?? '' } }),
    enabled: of !== undefined,
  });
  const isReady = of === undefined || query.data !== undefined;
  return (
    <Guarded group="processDefinitions" name="get">
      {isReady && <Editor key={id} view={isNew ? undefined : query.data} template={query.data && copyOf(query.data)} />}
      {!isReady && query.isPending && <Waiting />}
      {query.isError && <Failed error={query.error} retry={() => query.refetch()} />}
    </Guarded>
  );
}

/** The document of a version under another name. */
function copyOf({ document, name }: DefinitionView): object {
  return { ...document, name: `${name.slice(0, MAX_NAME - COPY.length)}${COPY}` };
}

const textOf = (document: object) => JSON.stringify(document, null, 2);

/** The text, its history, and the stored version with which the edit began. */
function useDraft(view: DefinitionView | undefined, template: object | undefined) {
  const [base, setBase] = useState(view);
  const [first, setFirst] = useState(textOf(view?.document ?? template ?? STARTER));
  const [text, putText] = useState(first);
  const [past, setPast] = useState<readonly string[]>([]);
  return {
    base,
    text,
    canUndo: past.length > 0,
    isChanged: text !== first,
    setText(next: string) {
      setPast([...past, text].slice(-MAX_UNDO));
      putText(next);
    },
    undo() {
      putText(past.at(-1) ?? text);
      setPast(past.slice(0, -1));
    },
    begin(stored: DefinitionView) {
      setBase(stored);
      setFirst(textOf(stored.document));
      putText(textOf(stored.document));
      setPast([]);
    },
  };
}

/** Stores the text. If somebody else has stored another version meanwhile, the operator sees it first. */
function useStore(view: DefinitionView | undefined, draft: ReturnType<typeof useDraft>) {
  const navigate = useNavigate();
  const [newer, setNewer] = useState<DefinitionView>();
  const isUpdate = view?.status === 'EDITABLE';
  const params = { processDefinitionId: view?.id ?? '' };
  const store = useAct(
    async (isSure: boolean): Promise<{ stored?: DefinitionView; newer?: DefinitionView }> => {
      const body = JSON.parse(draft.text) as Document;
      if (!isUpdate) return { stored: await call('processDefinitions', 'create', { body }) };
      const query = isSure ? {} : { ifLastUpdatedDtm: draft.base?.lastUpdatedDtm };
      try {
        return { stored: await call('processDefinitions', 'update', { params, query, body }) };
      } catch (error) {
        if (!(error instanceof CallError) || error.code !== CHANGED_MEANWHILE) throw error;
        return { newer: await call('processDefinitions', 'get', { params }) };
      }
    },
    (answer) => {
      setNewer(answer.newer);
      if (!answer.stored) return;
      draft.begin(answer.stored);
      navigate({ to: `/definitions/${answer.stored.id}`, ignoreBlocker: true } as never);
    },
  );
  const takeTheirs = () => {
    if (newer) draft.begin(newer);
    setNewer(undefined);
  };
  return { store, newer, takeTheirs };
}

type EditorProps = { view: DefinitionView | undefined; template: object | undefined };

function Editor({ view, template }: EditorProps) {
  const t = useT();
  const may = useMay();
  const draft = useDraft(view, template);
  const { text, isChanged } = draft;
  const { store, newer, takeTheirs } = useStore(view, draft);
  useLeaveGuard(isChanged);
  const isEditable = view === undefined || view.status === 'EDITABLE';
  const canStore = may('processDefinitions', view && isEditable ? 'update' : 'create');
  const faults = useFaults(text);
  const [form, setForm] = useState<Form>('outline');
  const [target, setTarget] = useState<{ pointer: string }>();
  const showPlace = (pointer: string) => {
    setForm('document');
    setTarget({ pointer });
  };
  return (
    <Page
      title={view ? `${view.name} v${view.version}` : t('definitions.new')}
      actions={
        <>
          {view && <DefinitionActions view={view} isChanged={isChanged} />}
          {canStore && (
            <Button onClick={() => store.mutate(false)} loading={store.isPending} disabled={view && !isChanged}>
              {t(isEditable ? 'app.save' : 'definitions.saveAsNext')}
            </Button>
          )}
        </>
      }
    >
      <Stack>
        {newer && (
          <Alert color="red" variant="light" role="alert" title={t('diff.stale', { name: newer.lastUpdatedBy })}>
            <Stack gap="xs" align="flex-start">
              <Diff before={textOf(newer.document)} after={text} label={t('diff.title')} />
              <Group gap="xs">
                <Button size="xs" variant="default" onClick={takeTheirs}>
                  {t('diff.theirs')}
                </Button>
                <Button size="xs" color="red.9" loading={store.isPending} onClick={() => store.mutate(true)}>
                  {t('diff.mine')}
                </Button>
              </Group>
            </Stack>
          </Alert>
        )}
        <Forms
          text={text}
          onText={draft.setText}
          isReadOnly={!canStore}
          undo={draft.canUndo ? draft.undo : undefined}
          form={form}
          onForm={setForm}
          faults={faults.data?.faults}
          target={target}
        />
        {may('processDefinitions', 'validate') && <Faults query={faults} onShow={showPlace} />}
        {view && <Tags view={view} />}
        {view && <Compare view={view} text={text} />}
      </Stack>
    </Page>
  );
}

type Form = 'outline' | 'canvas' | 'document';
type StepsProps = { text: string; onText(text: string): void; isReadOnly: boolean; form: Form };
type FormsProps = StepsProps & {
  undo: (() => void) | undefined;
  onForm(form: Form): void;
  faults: readonly { pointer: string; message: string }[] | undefined;
  target: { pointer: string } | undefined;
};

/** One document in three forms; each shows the changes of the others. */
function Forms({ text, onText, isReadOnly, undo, form, onForm, faults = [], target }: FormsProps) {
  const t = useT();
  return (
    <>
      <Group>
        <SegmentedControl
          aria-label={t('definitions.form')}
          value={form}
          data={[
            { value: 'outline', label: t('outline.title') },
            { value: 'canvas', label: t('canvas.title') },
            { value: 'document', label: t('definitions.document') },
          ]}
          onChange={(next) => onForm(next as Form)}
        />
        {!isReadOnly && (
          <Button variant="default" disabled={!undo} onClick={undo}>
            {t('outline.undo')}
          </Button>
        )}
      </Group>
      {form === 'document' ? (
        <Suspense fallback={<Waiting />}>
          <CodeEditor
            label={t('definitions.document')}
            description={t('definitions.documentHint')}
            value={text}
            onValue={onText}
            language="json"
            isReadOnly={isReadOnly}
            faults={faults}
            target={target}
          />
        </Suspense>
      ) : (
        <StepsOf text={text} onText={onText} isReadOnly={isReadOnly} form={form} />
      )}
    </>
  );
}

function StepsOf({ text, onText, isReadOnly, form }: StepsProps) {
  const t = useT();
  const document = readDocument(text);
  if (!document) return <Alert color="red">{t('outline.notJson')}</Alert>;
  const steps = (Array.isArray(document.steps) ? document.steps : []) as Step[];
  const onSteps = (next: Step[]) => onText(textOf({ ...document, steps: next }));
  return (
    <Stack>
      <TextInput
        label={t('keys.name')}
        value={String(document.name ?? '')}
        readOnly={isReadOnly}
        onChange={(event) => onText(textOf({ ...document, name: event.currentTarget.value }))}
        maxLength={MAX_NAME}
        required
      />
      <NumberInput
        label={t('definitions.retentionDays')}
        value={typeof document.retentionDays === 'number' ? document.retentionDays : DEFAULT_RETENTION_DAYS}
        readOnly={isReadOnly}
        min={1}
        max={MAX_RETENTION_DAYS}
        allowDecimal={false}
        onChange={(next) => typeof next === 'number' && onText(textOf({ ...document, retentionDays: next }))}
        maw={240}
      />
      {form === 'canvas' ? (
        <Canvas steps={steps} isReadOnly={isReadOnly} onSteps={onSteps} />
      ) : (
        <Outline steps={steps} isReadOnly={isReadOnly} onSteps={onSteps} />
      )}
    </Stack>
  );
}

function readDocument(text: string): Record<string, unknown> | undefined {
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
