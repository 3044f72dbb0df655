import type { ComponentChildren } from 'preact';
import { countriesIn } from '../countries.ts';
import { type LocalText, OwnText, pickText } from '../i18n/own-text.tsx';
import type { Translate } from '../i18n/translate.ts';
import { Icon } from '../ui/icons.tsx';
import type { Field } from './form-fields.ts';
import type { FormInput } from './read-form.ts';

/** One field with its label, its help and its fault. */
type FieldProps = {
  t: Translate;
  field: Field;
  language: string;
  label: LocalText;
  value: FormInput[string] | undefined;
  fault: string | undefined;
  onChange(value: FormInput[string]): void;
};

/** Up to this number, options are shown at once; more become a list. */
const MAX_SEEN = 5;
const LONG_TEXT = 200;

export function FieldView(props: FieldProps) {
  const { field } = props;
  if (field.kind === 'boolean') return <Tick {...props} />;
  if (field.kind === 'several' || (field.kind === 'enum' && field.options.length <= MAX_SEEN)) {
    return <Options {...props} />;
  }
  return <Single {...props} />;
}

const idOf = ({ name }: Field) => `field-${name}`;

/** The ids of the help and the fault, for screen readers. */
function described({ field, fault }: FieldProps) {
  const id = idOf(field);
  const by = [field.help && `${id}-help`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return { 'aria-describedby': by || undefined, 'aria-invalid': fault !== undefined };
}

function Label({ t, field, language, label }: Pick<FieldProps, 't' | 'field' | 'language' | 'label'>) {
  return (
    <>
      <OwnText text={label} language={language} />{' '}
      {!field.required && <span class="optional">({t('form.optional')})</span>}
    </>
  );
}

function Around({
  field,
  language,
  fault,
  before,
  children,
}: FieldProps & { before?: ComponentChildren; children: ComponentChildren }) {
  const id = idOf(field);
  return (
    <>
      {before}
      {field.help && (
        <p class="help" id={`${id}-help`}>
          <OwnText text={field.help} language={language} />
        </p>
      )}
      {children}
      {fault && (
        <p class="error" id={`${id}-fault`}>
          <Icon name="warning" />
          {fault}
        </p>
      )}
    </>
  );
}

function Single(props: FieldProps) {
  const { t, field, language, label, value, onChange } = props;
  const id = idOf(field);
  const attributes = {
    id,
    name: field.name,
    required: field.required,
    ...described(props),
    autocomplete: (field.autocomplete ?? 'off') as 'on',
    value: typeof value === 'string' ? value : '',
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
  };
  const before = (
    <label for={id}>
      <Label t={t} field={field} language={language} label={label} />
    </label>
  );
  return (
    <div class="field">
      <Around {...props} before={before}>
        {field.kind === 'enum' ? (
          <select {...attributes}>
            <option value="">{t('form.choose')}</option>
            {field.options.map((each) => (
              <option key={each} value={String(each)}>
                {pickText(field.optionLabels[String(each)] ?? String(each), language).text}
              </option>
            ))}
          </select>
        ) : field.kind === 'lines' || (field.kind === 'text' && (field.maxLength ?? 0) > LONG_TEXT) ? (
          <textarea {...attributes} rows={4} maxLength={field.maxLength} />
        ) : (
          <input {...attributes} {...(inputOf(field) as object)} list={isCountry(field) ? `${id}-list` : undefined} />
        )}
        {isCountry(field) && <Countries id={`${id}-list`} language={language} />}
      </Around>
    </div>
  );
}

/** Whether the field is the name of a country. Known countries are offered; the schema accepts any text. */
const isCountry = ({ kind, autocomplete }: Field) => kind === 'text' && autocomplete === 'country-name';

function Countries({ id, language }: { id: string; language: string }) {
  return (
    <datalist id={id}>
      {countriesIn(language).map(({ code, name }) => (
        <option key={code} value={name} />
      ))}
    </datalist>
  );
}

/** The keyboard that fits the field. Browsers enforce limits without a message, so the input has none. */
type InputKind = { type: string; inputMode?: string; autoCapitalize?: string; spellcheck?: boolean };

function inputOf({ kind }: Field): InputKind {
  switch (kind) {
    case 'email':
      return { type: 'email', inputMode: 'email', autoCapitalize: 'off', spellcheck: false };
    case 'tel':
      return { type: 'tel', inputMode: 'tel' };
    case 'url':
      return { type: 'url', inputMode: 'url', autoCapitalize: 'off', spellcheck: false };
    case 'date':
    case 'time':
      return { type: kind };
    case 'integer':
      return { type: 'text', inputMode: 'numeric' };
    case 'number':
      return { type: 'text', inputMode: 'decimal' };
    default:
      return { type: 'text' };
  }
}

function Tick(props: FieldProps) {
  const { field, language, label, value, onChange } = props;
  return (
    <div class="field">
      <Around {...props}>
        <label class="choice">
          <input
            type="checkbox"
            id={idOf(field)}
            name={field.name}
            checked={value === true}
            {...described(props)}
            onChange={({ currentTarget }) => onChange(currentTarget.checked)}
          />
          <OwnText text={label} language={language} />
        </label>
      </Around>
    </div>
  );
}

function Options(props: FieldProps) {
  const { t, field, language, label, value, onChange } = props;
  const selected = Array.isArray(value) ? value : typeof value === 'string' ? [value] : [];
  const choose = (option: string, checked: boolean) => {
    if (field.kind === 'enum') return onChange(option);
    onChange(checked ? [...selected, option] : selected.filter((each) => each !== option));
  };
  const { 'aria-describedby': by } = described(props);
  return (
    <fieldset class="field" aria-describedby={by}>
      <Around
        {...props}
        before={
          <legend>
            <Label t={t} field={field} language={language} label={label} />
          </legend>
        }
      >
        <div class="choices">
          {field.options.map((each, at) => (
            <label class="choice" key={each}>
              <input
                type={field.kind === 'enum' ? 'radio' : 'checkbox'}
                id={at === 0 ? idOf(field) : undefined}
                name={field.name}
                checked={selected.includes(String(each))}
                onChange={({ currentTarget }) => choose(String(each), currentTarget.checked)}
              />
              <OwnText text={field.optionLabels[String(each)] ?? String(each)} language={language} />
            </label>
          ))}
        </div>
      </Around>
    </fieldset>
  );
}
