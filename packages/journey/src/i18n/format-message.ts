/**
 * Fills in a message that was parsed when the app was built. It supports only the elements that our messages use,
 * because the first view of a slow phone waits for every line of it. A test compares it with the full implementation,
 * for every message of every language.
 */
export type Values = Readonly<Record<string, string | number>>;

type Part =
  | { readonly type: 0; readonly value: string }
  | { readonly type: 1; readonly value: string }
  | { readonly type: 5; readonly value: string; readonly options: Options }
  | {
      readonly type: 6;
      readonly value: string;
      readonly options: Options;
      readonly offset: number;
      readonly pluralType: 'cardinal' | 'ordinal';
    }
  | { readonly type: 7 };
type Options = Readonly<Record<string, { readonly value: readonly Part[] }>>;
export type Message = readonly Part[];

export function formatMessage(message: Message, values: Values, language: string): string {
  return fill(message, values, language, 0);
}

function fill(parts: Message, values: Values, language: string, number: number): string {
  return parts.map((part) => fillPart(part, values, language, number)).join('');
}

function fillPart(part: Part, values: Values, language: string, number: number): string {
  if (part.type === 0) return part.value;
  if (part.type === 7) return numbersOf(language).format(number);
  const value = values[part.value] ?? '';
  if (part.type === 1) return typeof value === 'number' ? numbersOf(language).format(value) : value;
  if (part.type === 5) return fillOption(part.options, [String(value)], values, language, number);
  const count = Number(value) - part.offset;
  const form = pluralsOf(language, part.pluralType).select(count);
  return fillOption(part.options, [`=${value}`, form], values, language, count);
}

function fillOption(
  options: Options,
  names: readonly string[],
  values: Values,
  language: string,
  number: number,
): string {
  const name = names.find((each) => Object.keys(options).includes(each)) ?? 'other';
  return fill(options[name]?.value ?? [], values, language, number);
}

const numbers = new Map<string, Intl.NumberFormat>();
const plurals = new Map<string, Intl.PluralRules>();

function numbersOf(language: string): Intl.NumberFormat {
  const formatter = numbers.get(language) ?? new Intl.NumberFormat(language);
  numbers.set(language, formatter);
  return formatter;
}

function pluralsOf(language: string, type: 'cardinal' | 'ordinal'): Intl.PluralRules {
  const name = `${language} ${type}`;
  const rules = plurals.get(name) ?? new Intl.PluralRules(language, { type });
  plurals.set(name, rules);
  return rules;
}
