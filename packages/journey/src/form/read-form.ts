import type { Field } from './form-fields.ts';

/** Turns the input of a form into the result to send, or into its faults. Pure; the server validates again. */
export type FormInput = Readonly<Record<string, string | boolean | readonly string[]>>;
export type FormFault = { name: string; key: string; values?: Record<string, number> };
export type FormResult = { result: Record<string, unknown>; faults: FormFault[] };

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

export function readForm(fields: readonly Field[], input: FormInput): FormResult {
  const result: Record<string, unknown> = {};
  const faults: FormFault[] = [];
  for (const field of fields) {
    const value = typedValue(field, input[field.name]);
    const fault = value === undefined ? missing(field) : faultOf(field, value);
    if (fault) faults.push({ name: field.name, ...fault });
    else if (value !== undefined) result[field.name] = value;
  }
  return { result, faults };
}

/** Leaves out empty input: an empty text is no value. */
function typedValue({ kind, options }: Field, input: FormInput[string] | undefined): unknown {
  if (kind === 'boolean') return input === true;
  if (Array.isArray(input)) return input.length === 0 ? undefined : input.map((each) => original(options, each));
  const text = typeof input === 'string' ? input.trim() : '';
  if (text === '') return undefined;
  if (kind === 'number' || kind === 'integer') return Number(text.replace(',', '.'));
  if (kind === 'enum') return original(options, text);
  if (kind === 'lines') {
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  }
  return kind === 'time' && /^\d{2}:\d{2}$/.test(text) ? `${text}:00Z` : text;
}

/** Turns an option back into a number if it was one. */
function original(options: Field['options'], text: string): unknown {
  return options.find((each) => String(each) === text) ?? text;
}

type Fault = Omit<FormFault, 'name'>;

function missing({ required }: Field): Fault | undefined {
  return required ? { key: 'form.required' } : undefined;
}

function faultOf(field: Field, value: unknown): Fault | undefined {
  if (field.only !== undefined && value !== field.only && (field.required || value !== false)) {
    return { key: field.kind === 'boolean' ? 'form.tick' : 'form.invalid' };
  }
  if (typeof value === 'number') return faultOfNumber(field, value);
  return typeof value === 'string' ? faultOfText(field, value) : undefined;
}

function faultOfNumber({ kind, min, max }: Field, value: number): Fault | undefined {
  if (!Number.isFinite(value)) return { key: 'form.number' };
  if (kind === 'integer' && !Number.isInteger(value)) return { key: 'form.integer' };
  if (min !== undefined && value < min) return { key: 'form.min', values: { min } };
  if (max !== undefined && value > max) return { key: 'form.max', values: { max } };
  return undefined;
}

function faultOfText({ kind, minLength, maxLength }: Field, value: string): Fault | undefined {
  if (kind === 'email' && !EMAIL.test(value)) return { key: 'form.email' };
  if (kind === 'date' && !isDate(value)) return { key: 'form.date' };
  if (kind === 'url' && !isUrl(value)) return { key: 'form.url' };
  const length = [...value].length;
  if (minLength !== undefined && length < minLength) return { key: 'form.minLength', values: { min: minLength } };
  if (maxLength !== undefined && length > maxLength) return { key: 'form.maxLength', values: { max: maxLength } };
  return undefined;
}

function isUrl(text: string): boolean {
  try {
    return new URL(text).protocol !== '';
  } catch {
    return false;
  }
}

function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return DATE.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Assigns the server's faults to their fields; the rest belong to the form as a whole. */
export function serverFaults(fields: readonly Field[], errors: readonly { pointer: string }[]): FormFault[] {
  return errors.flatMap(({ pointer }) => {
    const name = /^\/result\/([^/]+)/.exec(pointer)?.[1]?.replaceAll('~1', '/').replaceAll('~0', '~');
    const field = fields.find((each) => each.name === name);
    return field ? [{ name: field.name, key: 'form.invalid' }] : [];
  });
}
