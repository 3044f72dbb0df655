/** Converts the JSON Schema of a form to the fields that the builder shows, and back. Pure. */
export type LocalText = string | Readonly<Record<string, string>>;
export type Property = Readonly<Record<string, unknown>>;
export type FormSchema = Readonly<Record<string, unknown>>;

export const KINDS = [
  'text',
  'email',
  'date',
  'time',
  'url',
  'number',
  'integer',
  'boolean',
  'choice',
  'several',
  'lines',
] as const;
export type Kind = (typeof KINDS)[number];

export type FormField = { readonly name: string; readonly property: Property; readonly isRequired: boolean };

const STRING = { type: 'string' };
const SCHEMAS: Readonly<Record<Kind, Property>> = {
  text: { ...STRING, maxLength: 200 },
  email: { ...STRING, format: 'email' },
  date: { ...STRING, format: 'date' },
  time: { ...STRING, format: 'time' },
  url: { ...STRING, format: 'uri' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  choice: { ...STRING, enum: ['yes', 'no'] },
  several: { type: 'array', items: { ...STRING, enum: ['a', 'b'] } },
  lines: { type: 'array', items: STRING, maxItems: 10 },
};
const FORMATS: Readonly<Record<string, Kind>> = { email: 'email', date: 'date', time: 'time', uri: 'url' };
/** The keywords that stay when the kind of a field changes. */
const WORDS = ['title', 'description'];

const objectOf = (value: unknown): Property =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Property) : {};

export function fieldsOf(schema: FormSchema): FormField[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(objectOf(schema.properties)).map(([name, property]) => ({
    name,
    property: objectOf(property),
    isRequired: required.includes(name),
  }));
}

/** Keeps everything else in the schema unchanged. */
export function withFields(schema: FormSchema, fields: readonly FormField[]): FormSchema {
  const { required: _before, ...others } = schema;
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    ...others,
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, property }) => [name, property])),
    ...(required.length > 0 && { required }),
  };
}

export function kindOf(property: Property): Kind {
  if (Array.isArray(property.enum)) return 'choice';
  if (property.type === 'array') return Array.isArray(objectOf(property.items).enum) ? 'several' : 'lines';
  if (property.type === 'number' || property.type === 'integer' || property.type === 'boolean') return property.type;
  return FORMATS[String(property.format)] ?? 'text';
}

export function withKind(property: Property, kind: Kind): Property {
  const words = Object.entries(property).filter(([keyword]) => WORDS.includes(keyword));
  return { ...SCHEMAS[kind], ...Object.fromEntries(words) };
}

/** Sets a keyword, or removes it if the value is undefined. */
export function withKeyword(property: Property, keyword: string, value: unknown): Property {
  const { [keyword]: _before, ...others } = property;
  return value === undefined ? others : { ...others, [keyword]: value };
}

/** The schema that holds the options of a field: the field itself, or its items. */
const holderOf = (property: Property) => (kindOf(property) === 'several' ? objectOf(property.items) : property);
const withHolder = (property: Property, holder: Property): Property =>
  kindOf(property) === 'several' ? { ...property, items: holder } : holder;

export function optionsOf(property: Property): string[] {
  const { enum: options } = holderOf(property);
  return Array.isArray(options) ? options.map(String) : [];
}

/** Removes the texts of removed options as well. */
export function withOptions(property: Property, options: readonly string[]): Property {
  const holder = holderOf(property);
  const labels = Object.entries(objectOf(holder.labels)).filter(([option]) => options.includes(option));
  const labelled = withKeyword(holder, 'labels', labels.length > 0 ? Object.fromEntries(labels) : undefined);
  return withHolder(property, { ...labelled, enum: [...options] });
}

export function optionText(property: Property, option: string): LocalText | undefined {
  return objectOf(holderOf(property).labels)[option] as LocalText | undefined;
}

export function withOptionText(property: Property, option: string, text: LocalText | undefined): Property {
  const holder = holderOf(property);
  const labels = withKeyword(objectOf(holder.labels), option, text);
  return withHolder(property, withKeyword(holder, 'labels', Object.keys(labels).length > 0 ? labels : undefined));
}

/** A text without a language counts as English, the fallback of journeys. */
const PLAIN = 'en';

export function textIn(text: LocalText | undefined, language: string): string {
  if (typeof text === 'string') return language === PLAIN ? text : '';
  return text?.[language] ?? '';
}

/** A text in one language stays a plain text; an empty one becomes undefined. */
export function withText(text: LocalText | undefined, language: string, words: string): LocalText | undefined {
  const before = typeof text === 'string' ? { [PLAIN]: text } : (text ?? {});
  const all = Object.entries({ ...before, [language]: words }).filter(([, each]) => each !== '');
  if (all.length === 0) return undefined;
  return all.length === 1 && all[0]?.[0] === PLAIN ? (all[0]?.[1] ?? '') : Object.fromEntries(all);
}

/** The languages in which some of the texts exist and others do not. */
export function missingIn(texts: readonly (LocalText | undefined)[]): string[] {
  const maps = texts
    .filter((text) => text !== undefined)
    .map((text) => (typeof text === 'string' ? { [PLAIN]: text } : text));
  const languages = [...new Set(maps.flatMap((text) => Object.keys(text)))];
  return languages.filter((language) => maps.some((text) => !text[language]));
}

export function textsOf(fields: readonly FormField[]): (LocalText | undefined)[] {
  return fields.flatMap(({ property }) => [
    ...WORDS.map((keyword) => property[keyword] as LocalText | undefined),
    ...optionsOf(property).map((option) => optionText(property, option)),
  ]);
}

export function freeName(fields: readonly FormField[]): string {
  const names = new Set(fields.map(({ name }) => name));
  let number = 1;
  while (names.has(`field${number}`)) number += 1;
  return `field${number}`;
}
