import { type Sql, sql, type TenantReads, type Value } from '../../db/db.ts';
import { prepare } from '../../db/sql/statement.ts';
import type { Filter } from './list-instances.ts';
import { MAX_WORDS } from './search-terms.ts';

/** Searches the index of words, and the words in each instance's own row. */

// All ids have one length and are concatenated in the database, because passing thousands of rows costs more than the search.
const ID_LENGTH = 26;
const toId = ([id]: Value[]) => ({ id });
const ENTRIES = {
  exact: 'a.term = :term',
  beginning: 'a.term >= :term AND a.term < :termsEnd',
};

const entries = (kind: keyof typeof ENTRIES) => `a.tenant_id = :tenant_id AND a.environment = :environment
    AND ${ENTRIES[kind]} AND a.instance_id >= :from AND a.instance_id < :below`;

function countStatement(kind: keyof typeof ENTRIES) {
  return prepare<object, { found: number }>(
    `SELECT count(*) AS found FROM (SELECT 1 FROM instance_terms a WHERE ${entries(kind)} LIMIT :most + 0) AS bearers`,
    ['found'],
  );
}

/** Finds instances with one word and some whole words, which are looked up in this order. */
function bearersStatement(kind: keyof typeof ENTRIES, others: number) {
  const all = Array.from({ length: others }, (_, at) => at);
  const tables = all.map((at) => `CROSS JOIN instance_terms w${at}`).join(' ');
  const also = all
    .map(
      (at) => `AND w${at}.tenant_id = :tenant_id AND w${at}.environment = :environment AND w${at}.term = :other${at}
      AND w${at}.instance_id = a.instance_id`,
    )
    .join(' ');
  return prepare<object, { ids: string | null }>(
    `SELECT string_agg(id, '') AS ids FROM (SELECT a.instance_id AS id FROM instance_terms a ${tables}
    WHERE ${entries(kind)} ${also} LIMIT :size + 0 OFFSET :offset + 0) AS bearers`,
    ['ids'],
  );
}

const withOthers = (kind: keyof typeof ENTRIES) =>
  Array.from({ length: MAX_WORDS }, (_, others) => bearersStatement(kind, others));

export const SEARCH_STATEMENTS = {
  count: { beginning: countStatement('beginning'), exact: countStatement('exact') },
  bearers: { beginning: withOthers('beginning'), exact: withOthers('exact') },
} as const;

/** A search term: a whole word, or the beginning of one. */
export type Word = { readonly text: string; readonly begins: boolean };

/** Appended to a prefix, it is greater than every text with that prefix. */
const LAST = '\u{10FFFF}';

const kindOf = ({ begins }: Word) => (begins ? 'beginning' : 'exact');
const entriesOf = ({ environment, range }: Filter, { text: term }: Word) => ({
  environment,
  term,
  termsEnd: term + LAST,
  ...range,
});

/** Counts instances with a word, at most up to `most`. Some may be counted twice. */
export async function countWithWord(db: TenantReads, filter: Filter, word: Word, most: number): Promise<number> {
  const statement = SEARCH_STATEMENTS.count[kindOf(word)];
  return (await statement.get(db, { ...entriesOf(filter, word), most }))?.found ?? 0;
}

export type Bearers = {
  readonly size: number;
  readonly offset: number;
  /** Other whole words that the instances must have. */
  readonly others?: readonly string[];
};

/** Up to `size` instances with a word, unordered and perhaps with duplicates. */
export async function idsWithWord(
  db: TenantReads,
  filter: Filter,
  word: Word,
  { size, offset, others = [] }: Bearers,
): Promise<string[]> {
  const statement = SEARCH_STATEMENTS.bearers[kindOf(word)][others.length];
  if (!statement) throw new Error(`there is no statement for ${others.length} more words`);
  const otherTerms = Object.fromEntries(others.map((text, at) => [`other${at}`, text]));
  const joined = await statement.get(db, { ...entriesOf(filter, word), size, offset, ...otherTerms });
  const ids = joined?.ids ?? '';
  return Array.from({ length: ids.length / ID_LENGTH }, (_, at) => ids.slice(at * ID_LENGTH, (at + 1) * ID_LENGTH));
}

/** A LIKE pattern for the instance's own list of words, which is JSON. */
function patternOf({ text, begins }: Word): string {
  const json = JSON.stringify(text);
  const quoted = begins ? json.slice(0, -1) : json;
  return `%${quoted.replace(/[\\%_]/g, '\\$&')}%`;
}

export const CANDIDATES_AT_ONCE = 1000;
const SIZES = [10, 100, CANDIDATES_AT_ONCE] as const;
const candidateStatements = new Map<string, Sql>();

/**
 * A filter without a value matches everything, so one statement serves all filters. There is always a word to search for,
 * even an empty one: without it SQLite would read a whole index instead of a few rows.
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

/** The instances, of at most 1,000, that match the filter and have all words. */
export async function idsPassing(
  db: TenantReads,
  { environment, status, definitionIds }: Filter,
  words: readonly Word[],
  ids: readonly string[],
): Promise<string[]> {
  if (definitionIds?.length === 0 || ids.length === 0) return [];
  const size = SIZES.find((each) => each >= ids.length) ?? CANDIDATES_AT_ONCE;
  const patterns = words.length > 0 ? words.map(patternOf) : ['%'];
  // No id is empty, so the padding matches nothing.
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
