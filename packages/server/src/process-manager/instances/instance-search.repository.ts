import { type Sql, sql, type TenantReads, type Value } from '../../db/db.ts';
import type { Filter } from './list-instances.ts';
import { MAX_WORDS } from './search-terms.ts';

/** The index of words, and the words that every instance carries itself. */

// All of one length and put together in the database: thousands of rows would cost more to hand over than to find.
const ID_LENGTH = 26;
const toId = ([id]: Value[]) => ({ id });
const ENTRIES = {
  exact: 'a.tenant_id = $1 AND a.environment = $2 AND a.term = $3 AND a.instance_id >= $4 AND a.instance_id < $5',
  beginning: `a.tenant_id = $1 AND a.environment = $2 AND a.term >= $3 AND a.term < $4 AND a.instance_id >= $5
    AND a.instance_id < $6`,
};

function countStatement(kind: keyof typeof ENTRIES): Sql {
  const limit = kind === 'exact' ? '$6' : '$7';
  return sql(`SELECT count(*) AS found FROM
    (SELECT 1 FROM instance_terms a WHERE ${ENTRIES[kind]} LIMIT ${limit} + 0) AS bearers`);
}

/** Of those that bear one word, the ones that bear some whole words too: each is looked up, in the order written. */
function bearersStatement(kind: keyof typeof ENTRIES, others: number): Sql {
  const first = kind === 'exact' ? 6 : 7;
  const tables = Array.from({ length: others }, (_, at) => `CROSS JOIN instance_terms w${at}`).join(' ');
  const also = Array.from(
    { length: others },
    (_, at) => `AND w${at}.tenant_id = $1 AND w${at}.environment = $2 AND w${at}.term = $${first + 2 + at}
      AND w${at}.instance_id = a.instance_id`,
  ).join(' ');
  const text = `SELECT string_agg(id, '') AS ids FROM (SELECT a.instance_id AS id FROM instance_terms a ${tables}
    WHERE ${ENTRIES[kind]} ${also} LIMIT $${first} + 0 OFFSET $${first + 1} + 0) AS bearers`;
  return sql(text, ([ids]) => ({ ids }));
}

const withOthers = (kind: keyof typeof ENTRIES) =>
  Array.from({ length: MAX_WORDS }, (_, others) => bearersStatement(kind, others));

/** By how many whole words are looked for besides. */
export const SEARCH_STATEMENTS = {
  count: { beginning: countStatement('beginning'), exact: countStatement('exact') },
  bearers: { beginning: withOthers('beginning'), exact: withOthers('exact') },
} as const;

/** A word that is looked for: as a whole, or as the beginning of one. */
export type Word = { readonly text: string; readonly begins: boolean };

/** Greater than every text that begins with what stands before it. */
const LAST = '\u{10FFFF}';

const kindOf = ({ begins }: Word) => (begins ? 'beginning' : 'exact');
const entriesOf = (db: TenantReads, { environment, range }: Filter, { text, begins }: Word): Value[] => [
  db.tenantId,
  environment,
  text,
  ...(begins ? [text + LAST] : []),
  range.from,
  range.below,
];

/** How many bear a word, some of them perhaps counted twice; no more than `most`. */
export async function countWithWord(db: TenantReads, filter: Filter, word: Word, most: number): Promise<number> {
  const statement = SEARCH_STATEMENTS.count[kindOf(word)];
  return (await db.get<{ found: number }>(statement, [...entriesOf(db, filter, word), most]))?.found ?? 0;
}

export type Bearers = {
  readonly size: number;
  readonly offset: number;
  /** Whole words that they bear as well. */
  readonly others?: readonly string[];
};

/** The instances that bear a word, in no order and some of them perhaps twice; no more than `size`. */
export async function idsWithWord(
  db: TenantReads,
  filter: Filter,
  word: Word,
  { size, offset, others = [] }: Bearers,
): Promise<string[]> {
  const statement = SEARCH_STATEMENTS.bearers[kindOf(word)][others.length];
  if (!statement) throw new Error(`there is no statement for ${others.length} more words`);
  const joined = await db.get<Joined>(statement, [...entriesOf(db, filter, word), size, offset, ...others]);
  const ids = joined?.ids ?? '';
  return Array.from({ length: ids.length / ID_LENGTH }, (_, at) => ids.slice(at * ID_LENGTH, (at + 1) * ID_LENGTH));
}

type Joined = { ids: string | null };

/** What an instance's own list of words looks like if the word is in it; the list is JSON. */
function patternOf({ text, begins }: Word): string {
  const json = JSON.stringify(text);
  const quoted = begins ? json.slice(0, -1) : json;
  return `%${quoted.replace(/[\\%_]/g, '\\$&')}%`;
}

export const CANDIDATES_AT_ONCE = 1000;
const SIZES = [10, 100, CANDIDATES_AT_ONCE] as const;
const candidateStatements = new Map<string, Sql>();

/**
 * A filter that is not set lets everything through, so that one statement serves them all. There is always a word to
 * look for, be it any: without one SQLite would rather read a whole index than look up a few rows.
 */
export function candidateStatement(size: number, words: number): Sql {
  const key = `${size} ${words}`;
  const cached = candidateStatements.get(key);
  if (cached) return cached;
  const places = Array.from({ length: size }, (_, at) => `$${at + 5}`).join(', ');
  const likes = Array.from({ length: words }, (_, at) => `AND terms LIKE $${at + 5 + size} ESCAPE '\\'`).join(' ');
  const text = `SELECT id FROM process_instances WHERE tenant_id = $1 AND environment = $2 AND id IN (${places})
    AND ($3 = '' OR status = $3) AND ($4 = '' OR $4 LIKE '%' || definition_id || '%') ${likes}`;
  const statement = sql(text, toId);
  candidateStatements.set(key, statement);
  return statement;
}

/** Those of at most 1,000 instances that pass the filter and bear all the words. */
export async function passing(
  db: TenantReads,
  { environment, status, definitionIds }: Filter,
  words: readonly Word[],
  ids: readonly string[],
): Promise<string[]> {
  if (definitionIds?.length === 0 || ids.length === 0) return [];
  const size = SIZES.find((each) => each >= ids.length) ?? CANDIDATES_AT_ONCE;
  const patterns = words.length > 0 ? words.map(patternOf) : ['%'];
  // No id is empty: what fills the statement up finds nothing.
  const padded = [...ids, ...new Array<string>(size - ids.length).fill('')];
  const rows = await db.all<{ id: string }>(candidateStatement(size, patterns.length), [
    db.tenantId,
    environment,
    status ?? '',
    definitionIds?.join() ?? '',
    ...padded,
    ...patterns,
  ]);
  return rows.map(({ id }) => id);
}
