import {
  Alert,
  Button,
  Checkbox,
  Group,
  JsonInput,
  NativeSelect,
  NumberInput,
  Select,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type MouseEvent, useState } from 'react';
import { useT } from '../texts/texts.tsx';
import { ConditionTrial } from './condition-trial.tsx';
import { onFirstClick } from './first-click.ts';
import { FormBuilder } from './form-builder.tsx';
import type { FormSchema, LocalText } from './form-schema.ts';
import { Waiting } from './states.tsx';

/** Builds the steps of a definition as a list, by keyboard alone if wanted. It has the same content as the document. */
export type Step = { id: string; type: string } & Record<string, unknown>;
type Schema = {
  type?: string;
  const?: string;
  enum?: readonly string[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  default?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  required?: readonly string[];
};
type Definitions = Record<string, Schema>;
type OutlineProps = { steps: readonly Step[]; onSteps(steps: Step[]): void; isReadOnly: boolean };

async function fetchSchema(): Promise<Definitions> {
  const response = await fetch('/schemas/process-definition.json');
  return ((await response.json()) as { $defs: Definitions }).$defs;
}

/** The members of each type of step, as the server publishes them. */
export function useStepSchemas(): Definitions | undefined {
  return useQuery({ queryKey: ['definition-schema'], queryFn: fetchSchema, staleTime: 600_000 }).data;
}

export function moveStep(steps: readonly Step[], at: number, by: number): Step[] {
  return steps.toSpliced(at, 1).toSpliced(at + by, 0, steps[at] as Step);
}

const FIRST_FORM = {
  type: 'object',
  properties: { firstName: { type: 'string', maxLength: 200 } },
  required: ['firstName'],
};

/** Adds a new step before the decision. */
export function addStep(steps: readonly Step[], type: string): { steps: Step[]; at: number } {
  const before = steps.findIndex((step) => step.type === 'decision');
  const at = before < 0 || type === 'decision' ? steps.length : before;
  // A form needs at least one field.
  const start = type === 'form' ? { schema: FIRST_FORM } : {};
  return { steps: steps.toSpliced(at, 0, { id: freeId(type, steps), type, ...start }), at };
}

export function Outline({ steps, onSteps, isReadOnly }: OutlineProps) {
  const t = useT();
  const data = useStepSchemas();
  const [open, setOpen] = useState<number>();
  if (!data) return <Waiting />;
  const move = (at: number, by: number) => {
    onSteps(moveStep(steps, at, by));
    setOpen(open === at ? at + by : open);
  };
  const add = (type: string) => {
    const change = addStep(steps, type);
    onSteps(change.steps);
    setOpen(change.at);
  };
  const remove = (at: number) => {
    onSteps(steps.toSpliced(at, 1));
    setOpen(undefined);
  };
  return (
    <Stack gap="xs">
      <ol className="plain-list outline" aria-label={t('outline.steps')}>
        {steps.map((step, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: ids can be edited, positions cannot.
          <li key={at} className="card check">
            <Group justify="space-between" gap="xs">
              <div>
                <Text size="sm" fw={600} span>
                  {at + 1}. {step.id}
                </Text>{' '}
                <Text size="xs" c="dimmed" span>
                  {step.type}
                  {typeof step.when === 'string' && ` · ${t('outline.when', { condition: step.when })}`}
                </Text>
              </div>
              <Group gap={4}>
                <SmallButton isExpanded={open === at} onClick={() => setOpen(open === at ? undefined : at)}>
                  {t(isReadOnly ? 'outline.show' : 'roles.edit')}
                </SmallButton>
                {!isReadOnly && (
                  <>
                    <SmallButton isDisabled={at === 0} onClick={() => move(at, -1)}>
                      {t('outline.up')}
                    </SmallButton>
                    <SmallButton isDisabled={at === steps.length - 1} onClick={() => move(at, 1)}>
                      {t('outline.down')}
                    </SmallButton>
                    <SmallButton onClick={onFirstClick(() => remove(at))}>{t('outline.remove')}</SmallButton>
                  </>
                )}
              </Group>
            </Group>
            {open === at && (
              <Inspector
                step={step}
                schema={data[step.type]}
                isReadOnly={isReadOnly}
                onStep={(next) => onSteps(steps.toSpliced(at, 1, next))}
              />
            )}
          </li>
        ))}
      </ol>
      {!isReadOnly && <Adder types={Object.keys(data)} about={data} onAdd={add} />}
    </Stack>
  );
}

type SmallButtonProps = {
  children: string;
  isDisabled?: boolean;
  isExpanded?: boolean;
  onClick(event: MouseEvent): void;
};

function SmallButton({ children, isDisabled = false, isExpanded, onClick }: SmallButtonProps) {
  return (
    <Button size="compact-xs" variant="default" disabled={isDisabled} aria-expanded={isExpanded} onClick={onClick}>
      {children}
    </Button>
  );
}

function freeId(type: string, steps: readonly Step[]): string {
  const usedIds = new Set(steps.map(({ id }) => id));
  if (!usedIds.has(type)) return type;
  let number = 2;
  while (usedIds.has(`${type}${number}`)) number += 1;
  return `${type}${number}`;
}

function Adder({ types, about, onAdd }: { types: string[]; about: Definitions; onAdd(type: string): void }) {
  const t = useT();
  const [type, setType] = useState<string | null>(null);
  return (
    <Group align="flex-end">
      <Select
        className="grow"
        label={t('outline.add')}
        description={type ? about[type]?.description : ' '}
        data={types}
        value={type}
        onChange={setType}
        searchable
      />
      <Button variant="default" disabled={!type} onClick={() => type && onAdd(type)}>
        {t('watchlists.add')}
      </Button>
    </Group>
  );
}

/** The settings that the form builder edits. */
const BUILT: ReadonlySet<string> = new Set(['title', 'schema']);

type InspectorProps = { step: Step; schema: Schema | undefined; isReadOnly: boolean; onStep(step: Step): void };

/** The settings of a step, as its schema describes them. */
export function Inspector({ step, schema, isReadOnly, onStep }: InspectorProps) {
  const t = useT();
  if (!schema) return <Alert color="red">{t('outline.unknown', { type: step.type })}</Alert>;
  const set = (name: string, value: unknown) => {
    const { [name]: _before, ...others } = step;
    onStep((value === undefined ? others : { ...others, [name]: value }) as Step);
  };
  return (
    <fieldset className="inspector" disabled={isReadOnly}>
      <legend className="hidden">{step.id}</legend>
      <Stack gap="xs" mt="xs">
        {step.type === 'form' && (
          <FormBuilder
            title={step.title as LocalText | undefined}
            schema={(step.schema ?? {}) as FormSchema}
            isReadOnly={isReadOnly}
            onTitle={(title) => set('title', title)}
            onSchema={(form) => set('schema', form)}
          />
        )}
        {Object.entries(schema.properties ?? {})
          .filter(([name]) => name !== 'type' && !(step.type === 'form' && BUILT.has(name)))
          .map(([name, property]) => (
            <Setting
              key={name}
              name={name}
              schema={property}
              value={step[name]}
              isRequired={schema.required?.includes(name) === true}
              onValue={(value) => set(name, value)}
            />
          ))}
      </Stack>
    </fieldset>
  );
}

type SettingProps = {
  name: string;
  schema: Schema;
  value: unknown;
  isRequired: boolean;
  onValue(value: unknown): void;
};

function Setting({ name, schema, value, isRequired, onValue }: SettingProps) {
  const common = { label: name, description: schema.description, required: isRequired };
  const fallback = schema.default === undefined ? '' : String(schema.default);
  if (schema.enum) {
    return (
      <NativeSelect
        {...common}
        value={String(value ?? '')}
        data={[{ value: '', label: fallback }, ...schema.enum.map((each) => ({ value: each, label: each }))]}
        onChange={(event) => onValue(event.currentTarget.value || undefined)}
      />
    );
  }
  if (schema.type === 'boolean') {
    return (
      <Checkbox
        {...common}
        checked={Boolean(value ?? schema.default)}
        onChange={(event) => onValue(event.currentTarget.checked)}
      />
    );
  }
  if (schema.type === 'integer' || schema.type === 'number') {
    return (
      <NumberInput
        {...common}
        value={typeof value === 'number' ? value : ''}
        placeholder={fallback}
        min={schema.minimum}
        max={schema.maximum}
        onChange={(next) => onValue(next === '' ? undefined : Number(next))}
      />
    );
  }
  if (schema.type === 'array' && (schema.items?.type === 'string' || schema.items?.enum)) {
    const data = schema.items.enum ? [...schema.items.enum] : [];
    return (
      <TagsInput
        {...common}
        data={data}
        value={Array.isArray(value) ? value.map(String) : []}
        onChange={(next) => onValue(next.length === 0 ? undefined : next)}
      />
    );
  }
  if (schema.type === 'string') {
    const Field = name === 'when' ? Textarea : TextInput;
    return (
      <>
        <Field
          {...common}
          value={typeof value === 'string' ? value : ''}
          placeholder={fallback}
          maxLength={schema.maxLength}
          onChange={(event) => onValue(event.currentTarget.value || undefined)}
        />
        {name === 'when' && typeof value === 'string' && <ConditionTrial condition={value} />}
      </>
    );
  }
  return <JsonSetting name={name} schema={schema} value={value} isRequired={isRequired} onValue={onValue} />;
}

/** Edits a structured setting as JSON, and stores it whenever it can be parsed. */
function JsonSetting({ name, schema, value, isRequired, onValue }: SettingProps) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2));
  return (
    <JsonInput
      label={name}
      description={schema.description}
      required={isRequired}
      value={text}
      onChange={(next) => {
        setText(next);
        if (next.trim() === '') onValue(undefined);
        else {
          try {
            onValue(JSON.parse(next));
          } catch {
            // The JSON is incomplete, so the last valid value stays.
          }
        }
      }}
      autosize
      minRows={2}
      maxRows={12}
      className="code"
    />
  );
}
