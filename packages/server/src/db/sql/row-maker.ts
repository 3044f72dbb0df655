import type { RowOf, Value } from '../db.ts';

const PLAIN = /^[a-z_][a-z0-9_]*$/i;

/**
 * Makes rows with the names that a statement gives its columns. The names, which are those of our own statements, become
 * code: to set members by a name that is known only at run time takes longer than to read the row.
 */
export function rowMaker(names: readonly string[]): RowOf {
  if (!names.every((name) => PLAIN.test(name)) || new Set(names).size < names.length) return byName(names);
  const members = names.map((name, at) => `${JSON.stringify(name)}: values[${at}]`);
  return new Function('values', `return { ${members.join(', ')} };`) as RowOf;
}

/** Makes rows from a list of columns as it is written in a statement: `id, name`. */
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
