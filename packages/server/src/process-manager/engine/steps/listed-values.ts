import type { State } from '../state.ts';

/** The values of a journey that a watchlist may list. Pure. */

const MAX_VALUES = 20;

type Field = { fieldName?: unknown; values?: Readonly<Record<string, unknown>> };

/** The document numbers of all zones, because one of them may have been misread. */
export function documentNumbersIn({ data }: State, key: string): string[] {
  const document = Object.hasOwn(data.documents, key) ? data.documents[key] : undefined;
  const fields = (document?.biographicData ?? []) as readonly Field[];
  const numbers = fields.filter(({ fieldName }) => fieldName === 'Document Number');
  return distinct(numbers.flatMap(({ values }) => Object.values(values ?? {})));
}

/** The address in the parameters of the instance, and those in forms under the name `email`. */
export function emailsIn({ data, params }: State): string[] {
  return distinct([params.email, ...Object.values(data.forms).map(({ email }) => email)]);
}

function distinct(values: readonly unknown[]): string[] {
  const texts = values.filter((value): value is string => typeof value === 'string' && value.trim() !== '');
  return [...new Set(texts)].slice(0, MAX_VALUES);
}
