import type { RowOf, Value } from '../db.ts';

const PLAIN = /^[a-z_][a-z0-9_]*$/i;

/**
 * Rows with the names that a statement gives its columns. Code is made of the names, which are those of our own
 * statements: to write members by names that are only known at run time costs more than to read the row.
 */
export function rowMaker(names: readonly string[]): RowOf {
  if (!names.every((name) => PLAIN.test(name)) || new Set(names).size < names.length) return byName(names);
  const members = names.map((name, at) => `${JSON.stringify(name)}: values[${at}]`);
  return new Function('values', `return { ${members.join(', ')} };`) as RowOf;
}

/** Rows with the columns of a list as it stands in a statement: `id, name`. */
export function rowOf(columns: string): RowOf {
  return rowMaker(columns.split(',').map((name) => name.trim()));
}

function byName(names: readonly string[]): RowOf {
  return (values) => {
    const row: Record<string, Value> = {};
    for (let at = 0; at < names.length; at++) row[names[at] as string] = values[at] as Value;
    return row;
  };
}
