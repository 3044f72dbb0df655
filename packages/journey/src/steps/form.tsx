import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { FieldView } from '../form/field-view.tsx';
import { type Field, fieldsOf, purposeOf, readableName } from '../form/form-fields.ts';
import { type FormFault, type FormInput, readForm, serverFaults } from '../form/read-form.ts';
import { type LocalText, OwnText } from '../i18n/own-text.tsx';
import type { Translate } from '../i18n/translate.ts';
import { Problem } from '../problem.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Title } from '../ui/title.tsx';
import type { StepProps } from './step.ts';

/** A form of the tenant. Known values are filled in; faults are shown beside their fields and at the top. */
type Settings = { title?: LocalText; schema: Record<string, unknown>; values?: Record<string, unknown> };

/** Typed input survives a look at another page. It stays in this page's memory, for one form only. */
let draft: { attemptKey: string; input: FormInput } | undefined;

function useDraft({ journey, step }: StepProps, fields: readonly Field[]) {
  const { values = {} } = step.settings as Settings;
  const attemptKey = `${journey.processInstanceId} ${step.id} ${step.attempt}`;
  const [input, setInput] = useState<FormInput>(() =>
    draft?.attemptKey === attemptKey ? draft.input : startWith(fields, values),
  );
  useEffect(() => {
    draft = { attemptKey, input };
  }, [attemptKey, input]);
  return [input, setInput] as const;
}

export function FormStep(props: StepProps) {
  const { step, t, language, submit, unable } = props;
  const { title, schema } = step.settings as Settings;
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const [input, setInput] = useDraft(props, fields);
  const [faults, setFaults] = useState<readonly FormFault[]>([]);
  const [tries, setTries] = useState(0);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);

  const refuse = (newFaults: readonly FormFault[]) => {
    setFaults(newFaults);
    setTries((before) => before + 1);
  };
  const send = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setError(undefined);
    const formResult = readForm(fields, input);
    if (formResult.faults.length > 0) return refuse(formResult.faults);
    setFaults([]);
    setBusy(true);
    try {
      await submit(formResult.result);
    } catch (thrown) {
      const knownFaults = thrown instanceof Problem ? serverFaults(fields, thrown.errors) : [];
      if (knownFaults.length > 0) refuse(knownFaults);
      else setError(thrown);
    }
    setBusy(false);
  };

  const labels = new Map(fields.map((field) => [field.name, labelOf(t, field)]));
  const textOf = (name: string) => {
    const fault = faults.find((each) => each.name === name);
    return fault && t(fault.key, fault.values);
  };
  return (
    <form noValidate onSubmit={send} class="view">
      <Title>{title === undefined ? t('form.title') : <OwnText text={title} language={language} />}</Title>
      {faults.length > 0 && <Summary key={tries} t={t} language={language} faults={faults} labels={labels} />}
      {fields.map((field) => (
        <FieldView
          key={field.name}
          t={t}
          language={language}
          field={field}
          label={labels.get(field.name) ?? field.name}
          value={input[field.name]}
          fault={textOf(field.name)}
          onChange={(value) => {
            setInput((before) => ({ ...before, [field.name]: value }));
            // A changed field may be right now; it is validated when the form is sent.
            setFaults((before) => before.filter(({ name }) => name !== field.name));
          }}
        />
      ))}
      <ErrorNote t={t} error={error} />
      <div class="actions below">
        <Button kind="primary" submit busy={busy}>
          {t('continue')}
        </Button>
        <Button kind="quiet" onPress={unable}>
          {t('unable')}
        </Button>
      </div>
    </form>
  );
}

function labelOf(t: Translate, { label, name }: Field): LocalText {
  if (label) return label;
  const key = `field.${purposeOf(name) ?? ''}`;
  const translation = t(key);
  return translation === key ? readableName(name) : translation;
}

function startWith(fields: readonly Field[], values: Record<string, unknown>): FormInput {
  return Object.fromEntries(
    fields.flatMap(({ name, kind }): [string, FormInput[string]][] => {
      const value = values[name];
      if (value === undefined || value === null) return [];
      if (kind === 'boolean') return [[name, value === true || value === 'true']];
      if (Array.isArray(value)) return [[name, kind === 'lines' ? value.join('\n') : value.map(String)]];
      return [[name, String(value)]];
    }),
  );
}

type SummaryProps = {
  t: Translate;
  language: string;
  faults: readonly FormFault[];
  labels: ReadonlyMap<string, LocalText>;
};

/** Takes the focus, so that nobody has to look for the faults; each line links to its field. */
function Summary({ t, language, faults, labels }: SummaryProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), []);
  const go = (event: Event, name: string) => {
    event.preventDefault();
    document.getElementById(`field-${name}`)?.focus();
  };
  return (
    // It takes the focus when it appears, but is not in the tab order.
    <div class="summary" ref={box} tabIndex={-1} role="alert">
      <h2>{t('form.faults', { count: faults.length })}</h2>
      <ul>
        {faults.map(({ name, key, values }) => (
          <li key={name}>
            <a href={`#field-${name}`} onClick={(event) => go(event, name)}>
              <OwnText text={labels.get(name) ?? name} language={language} />: {t(key, values)}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
