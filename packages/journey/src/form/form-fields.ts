import type { LocalText } from '../i18n/own-text.tsx';

/** The fields of a form, from the part of JSON Schema that the server allows in forms. Pure. */
export type Kind =
  | 'text'
  | 'email'
  | 'tel'
  | 'url'
  | 'date'
  | 'time'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'enum'
  | 'several'
  | 'lines';

export type Field = {
  name: string;
  kind: Kind;
  /** The tenant's label; without one, the app may have a word for the name. */
  label: LocalText | undefined;
  help: LocalText | undefined;
  /** The tenant's labels for the options. */
  optionLabels: Readonly<Record<string, LocalText>>;
  required: boolean;
  autocomplete: string | undefined;
  options: readonly (string | number)[];
  min?: number | undefined;
  max?: number | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  /** The only accepted value, such as that of a box that must be ticked. */
  only?: unknown;
};

type Schema = Readonly<Record<string, unknown>>;

/** The purposes that HTML names, so that browsers can fill in values (WCAG 1.3.5). */
export const PURPOSES: Readonly<Record<string, string>> = {
  name: 'name',
  fullname: 'name',
  firstname: 'given-name',
  givenname: 'given-name',
  middlename: 'additional-name',
  lastname: 'family-name',
  familyname: 'family-name',
  surname: 'family-name',
  email: 'email',
  emailaddress: 'email',
  phone: 'tel',
  phonenumber: 'tel',
  mobile: 'tel',
  telephone: 'tel',
  dateofbirth: 'bday',
  birthdate: 'bday',
  birthday: 'bday',
  street: 'street-address',
  address: 'street-address',
  streetaddress: 'street-address',
  addressline1: 'address-line1',
  addressline2: 'address-line2',
  city: 'address-level2',
  town: 'address-level2',
  state: 'address-level1',
  province: 'address-level1',
  postalcode: 'postal-code',
  postcode: 'postal-code',
  zip: 'postal-code',
  zipcode: 'postal-code',
  country: 'country-name',
  countrycode: 'country',
  company: 'organization',
  organization: 'organization',
  jobtitle: 'organization-title',
};

export function fieldsOf(schema: Schema): Field[] {
  const required = new Set((schema.required as string[] | undefined) ?? []);
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  return Object.entries(properties).map(([name, property]) => fieldOf(name, property, required.has(name)));
}

function fieldOf(name: string, property: Schema, required: boolean): Field {
  const autocomplete = purposeOf(name);
  const items = property.type === 'array' ? (property.items as Schema | undefined) : undefined;
  return {
    name,
    kind: kindOf(property, autocomplete),
    label: text(property.title),
    help: text(property.description),
    required,
    autocomplete,
    optionLabels: labelsOf(property) ?? (items && labelsOf(items)) ?? {},
    options: choices(property) ?? (items && choices(items)) ?? [],
    min: number(property.minimum) ?? number(property.exclusiveMinimum),
    max: number(property.maximum) ?? number(property.exclusiveMaximum),
    minLength: number(property.minLength),
    maxLength: number(property.maxLength),
    ...('const' in property && { only: property.const }),
  };
}

export function purposeOf(name: string): string | undefined {
  return PURPOSES[name.replace(/[^a-zA-Z0-9]/g, '').toLowerCase()];
}

function kindOf(property: Schema, autocomplete: string | undefined): Kind {
  if (choices(property)) return 'enum';
  switch (property.type) {
    case 'boolean':
      return 'boolean';
    case 'integer':
      return 'integer';
    case 'number':
      return 'number';
    case 'array':
      return choices((property.items ?? {}) as Schema) ? 'several' : 'lines';
    default:
      return kindOfText(property.format, autocomplete);
  }
}

function kindOfText(format: unknown, autocomplete: string | undefined): Kind {
  if (format === 'email' || autocomplete === 'email') return 'email';
  if (format === 'date' || format === 'time') return format;
  if (format === 'uri') return 'url';
  return autocomplete === 'tel' ? 'tel' : 'text';
}

function choices({ enum: options }: Schema): (string | number)[] | undefined {
  return Array.isArray(options)
    ? options.filter((each): each is string | number => typeof each === 'string' || typeof each === 'number')
    : undefined;
}

const isObject = (value: unknown): value is Record<string, string> => typeof value === 'object' && value !== null;
const text = (value: unknown): LocalText | undefined =>
  (typeof value === 'string' && value !== '') || isObject(value) ? value : undefined;
const labelsOf = ({ labels }: Schema) => (isObject(labels) ? (labels as Record<string, LocalText>) : undefined);
const number = (value: unknown) => (typeof value === 'number' ? value : undefined);

/** Turns `dateOfBirth` into `Date of birth`, if there is no better label. */
export function readableName(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
