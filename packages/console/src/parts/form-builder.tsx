import { Button, Checkbox, Group, NativeSelect, NumberInput, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useT } from '../texts/texts.tsx';
import { onFirstClick } from './first-click.ts';
import {
  type FormField,
  type FormSchema,
  fieldsOf,
  freeName,
  KINDS,
  type Kind,
  kindOf,
  type LocalText,
  missingIn,
  optionsOf,
  optionText,
  type Property,
  textIn,
  textsOf,
  withFields,
  withKeyword,
  withKind,
  withOptions,
  withOptionText,
  withText,
} from './form-schema.ts';
import { JOURNEY_LANGUAGES } from './journey-languages.ts';
import { JourneyPreview } from './journey-preview.tsx';

const MAX_FIELDS = 50;

type FormBuilderProps = {
  title: LocalText | undefined;
  schema: FormSchema;
  isReadOnly: boolean;
  onTitle(title: LocalText | undefined): void;
  onSchema(schema: FormSchema): void;
};

/** Builds the form of a step: its fields with their order, rules and texts by language. The result is JSON Schema. */
export function FormBuilder({ title, schema, isReadOnly, onTitle, onSchema }: FormBuilderProps) {
  const t = useT();
  const [language, setLanguage] = useState('en');
  const fields = fieldsOf(schema);
  const put = (next: readonly FormField[]) => onSchema(withFields(schema, next));
  const missing = missingIn([title, ...textsOf(fields)]);
  return (
    <div className="form-builder">
      <Stack gap="xs">
        <NativeSelect
          label={t('forms.language')}
          description={missing.length > 0 ? t('forms.missing', { languages: missing.join(', ') }) : undefined}
          value={language}
          data={[...JOURNEY_LANGUAGES]}
          onChange={(event) => setLanguage(event.currentTarget.value)}
        />
        <Words label={t('forms.heading')} text={title} language={language} onText={onTitle} maxLength={100} />
        <ol className="plain-list outline" aria-label={t('forms.fields')}>
          {fields.map((field, at) => (
            <FieldEditor
              // biome-ignore lint/suspicious/noArrayIndexKey: names can be edited, positions cannot.
              key={at}
              field={field}
              at={at}
              language={language}
              isReadOnly={isReadOnly}
              total={fields.length}
              isTaken={fields.some((other) => other !== field && other.name === field.name)}
              onField={(next) => put(fields.toSpliced(at, 1, ...(next ? [next] : [])))}
              onMove={(by) => put(fields.toSpliced(at, 1).toSpliced(at + by, 0, field))}
            />
          ))}
        </ol>
        {!isReadOnly && (
          <Group>
            <Button
              size="xs"
              variant="default"
              disabled={fields.length >= MAX_FIELDS}
              onClick={() =>
                put([...fields, { name: freeName(fields), property: withKind({}, 'text'), isRequired: true }])
              }
            >
              {t('forms.add')}
            </Button>
          </Group>
        )}
      </Stack>
      <JourneyPreview settings={{ title, schema }} language={language} label={t('forms.preview')} />
    </div>
  );
}

type FieldEditorProps = {
  field: FormField;
  at: number;
  total: number;
  language: string;
  isReadOnly: boolean;
  isTaken: boolean;
  onField(field: FormField | undefined): void;
  onMove(by: number): void;
};

function FieldEditor(props: FieldEditorProps) {
  const { field, at, total, language, isReadOnly, isTaken, onField, onMove } = props;
  const t = useT();
  const { name, property, isRequired } = field;
  const set = (next: Property) => onField({ ...field, property: next });
  const words = (keyword: string) => (text: LocalText | undefined) => set(withKeyword(property, keyword, text));
  const buttons = [
    { label: t('outline.up'), isOff: at === 0, act: () => onMove(-1) },
    { label: t('outline.down'), isOff: at === total - 1, act: () => onMove(1) },
    { label: t('outline.remove'), isOff: total === 1, act: onFirstClick(() => onField(undefined)) },
  ];
  return (
    <li className="card check">
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Text size="sm" fw={600}>
            {at + 1}. {name}
          </Text>
          {!isReadOnly && (
            <Group gap={4}>
              {buttons.map(({ label, isOff, act }) => (
                <Button key={label} size="compact-xs" variant="default" disabled={isOff} onClick={act}>
                  {label}
                </Button>
              ))}
            </Group>
          )}
        </Group>
        <Group grow align="flex-start">
          <TextInput
            label={t('forms.name')}
            value={name}
            onChange={(event) => onField({ ...field, name: event.currentTarget.value })}
            error={isTaken && t('forms.taken')}
            maxLength={100}
            required
          />
          <NativeSelect
            label={t('forms.kind')}
            value={kindOf(property)}
            data={KINDS.map((kind) => ({ value: kind, label: t(`forms.kind.${kind}`) }))}
            onChange={(event) => set(withKind(property, event.currentTarget.value as Kind))}
          />
        </Group>
        <Words
          label={t('forms.label')}
          text={property.title as LocalText | undefined}
          language={language}
          onText={words('title')}
        />
        <Words
          label={t('forms.help')}
          text={property.description as LocalText | undefined}
          language={language}
          onText={words('description')}
        />
        <Checkbox
          label={t('forms.required')}
          checked={isRequired}
          onChange={(event) => onField({ ...field, isRequired: event.currentTarget.checked })}
        />
        <Rules property={property} language={language} onProperty={set} />
      </Stack>
    </li>
  );
}

type WordsProps = {
  label: string;
  text: LocalText | undefined;
  language: string;
  onText(text: LocalText | undefined): void;
  maxLength?: number;
};

/** A text of the tenant in the chosen language. */
function Words({ label, text, language, onText, maxLength = 2000 }: WordsProps) {
  return (
    <TextInput
      label={`${label} (${language})`}
      value={textIn(text, language)}
      onChange={(event) => onText(withText(text, language, event.currentTarget.value))}
      maxLength={maxLength}
      lang={language}
      dir="auto"
    />
  );
}

/** The keywords of JSON Schema that each kind of field may have. */
const LIMITS: Partial<
  Record<Kind, readonly ['minLength' | 'minimum' | 'minItems', 'maxLength' | 'maximum' | 'maxItems']>
> = {
  text: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  several: ['minItems', 'maxItems'],
  lines: ['minItems', 'maxItems'],
};

type RulesProps = { property: Property; language: string; onProperty(property: Property): void };

function Rules({ property, language, onProperty }: RulesProps) {
  const t = useT();
  const kind = kindOf(property);
  const limits = LIMITS[kind];
  return (
    <>
      {limits && (
        <Group grow>
          {limits.map((keyword) => (
            <NumberInput
              key={keyword}
              label={t(`forms.${keyword}`)}
              value={typeof property[keyword] === 'number' ? property[keyword] : ''}
              onChange={(next) => onProperty(withKeyword(property, keyword, next === '' ? undefined : Number(next)))}
            />
          ))}
        </Group>
      )}
      {kind === 'boolean' && (
        <Checkbox
          label={t('forms.mustBeTicked')}
          checked={property.const === true}
          onChange={(event) =>
            onProperty(withKeyword(property, 'const', event.currentTarget.checked ? true : undefined))
          }
        />
      )}
      {(kind === 'choice' || kind === 'several') && (
        <>
          <TagsInput
            label={t('forms.options')}
            description={t('forms.optionsHint')}
            value={optionsOf(property)}
            onChange={(options) => options.length > 0 && onProperty(withOptions(property, options))}
          />
          {optionsOf(property).map((option) => (
            <Words
              key={option}
              label={t('forms.option', { option })}
              text={optionText(property, option)}
              language={language}
              onText={(text) => onProperty(withOptionText(property, option, text))}
            />
          ))}
        </>
      )}
    </>
  );
}
