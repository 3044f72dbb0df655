import type { Sql } from '../db.ts';
import type { BatchEntry } from './batch.ts';
import { textOf } from './statements.ts';

/**
 * Combines consecutive changes whose results nobody reads: `WITH a AS (INSERT …) UPDATE …`. PostgreSQL then starts and ends
 * one statement instead of six.
 *
 * The parts of such a statement do not see each other's changes, so each part changes another table and reads no other.
 * PostgreSQL checks references between their rows at the end of the statement, when all rows exist. A DELETE is not
 * combined, because its cascades run at the end of its statement.
 */
export type CombinableEntry = BatchEntry & {
  /** Whether it was given to `send`, so that nobody reads its result. */
  readonly isSent: boolean;
};

/** Each combination is a prepared statement on every connection. Further combinations are sent as separate statements. */
const MAX_COMBINATIONS = 200;
const SIMPLE_CHANGE = /^\s*(?:INSERT\s+INTO|UPDATE)\s+(\w+)\b(.*)$/is;
/** The elements of a parameter, which reads no table. */
const LIST = /SELECT value FROM json_array_elements_text\(CAST\(\$\d+\s+AS json\)\s*\)/gi;
/** The statement reads a table, or returns rows. */
const DOES_MORE = /\b(?:FROM(?!\s+\(\s*\) AS \w+\s*$)|JOIN|USING|RETURNING|WITH)\b/i;

const changedTables = new WeakMap<Sql, string | undefined>();

export const combineChanges = openCombiner();

export function openCombiner(maxCombinations = MAX_COMBINATIONS) {
  const combinations = new Map<string, Sql>();
  const combination = (statements: readonly Sql[]): Sql | undefined => {
    const key = statements.map(({ name }) => name).join(' ');
    const cached = combinations.get(key);
    if (cached || combinations.size >= maxCombinations) return cached;
    const statement = { name: `grove_together_${combinations.size}`, text: combinedText(statements.map(textOf)) };
    combinations.set(key, statement);
    return statement;
  };
  const together = (group: readonly CombinableEntry[]): readonly BatchEntry[] => {
    const statement = group.length > 1 ? combination(group.map((each) => each.statement)) : undefined;
    return statement ? [joinEntries(statement, group)] : group;
  };
  return (entries: readonly CombinableEntry[]): readonly BatchEntry[] => {
    const combined: BatchEntry[] = [];
    let group = new Map<string, CombinableEntry>();
    const endGroup = () => {
      combined.push(...together([...group.values()]));
      group = new Map();
    };
    for (const entry of entries) {
      const table = entry.isSent ? changedTable(entry.statement) : undefined;
      if (table === undefined || group.has(table)) endGroup();
      if (table === undefined) combined.push(entry);
      else group.set(table, entry);
    }
    endGroup();
    return combined;
  };
}

function joinEntries(statement: Sql, entries: readonly BatchEntry[]): BatchEntry {
  return {
    statement,
    parameters: entries.flatMap(({ parameters }) => parameters),
    settle(fault, answer) {
      for (const { settle } of entries) settle(fault, answer);
    },
  };
}

/** The table that a statement changes, if it does nothing else. */
function changedTable(statement: Sql): string | undefined {
  if (!changedTables.has(statement)) {
    const [, table, rest = ''] = (statement.name && SIMPLE_CHANGE.exec(textOf(statement))) || [];
    changedTables.set(statement, DOES_MORE.test(rest.replaceAll(LIST, '')) ? undefined : table?.toLowerCase());
  }
  return changedTables.get(statement);
}

/**
 * PostgreSQL runs the main statement first, and the others from the last to the first. They are written in that order, so
 * that rows are locked in the order of the code: two transactions that add to the same counters in opposite orders would
 * deadlock.
 */
function combinedText(texts: readonly string[]): string {
  let width = 0;
  const renumbered = texts.map((text) => {
    const before = width;
    return text.replace(/\$(\d+)/g, (_, digits: string) => {
      width = Math.max(width, before + Number(digits));
      return `$${before + Number(digits)}`;
    });
  });
  const [main, ...others] = renumbered;
  const parts = others.map((text, at) => `change_${at} AS (${text})`).reverse();
  return `WITH ${parts.join(', ')} ${main}`;
}
