import type { TenantReads } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { prepare } from '../../db/sql/statement.ts';
import type { Filter } from './list-instances.ts';
import { MAX_WORDS } from './search-terms.ts';

/** Searches the index of words, and the words in each instance's own row. */

// All ids have one length and are concatenated in the database, because passing thousands of rows costs more than the search.
const ID_LENGTH = 26;
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

/**
 * A filter without a value matches everything, so one statement serves all filters. There is always a word to search for,
 * even an empty one: without it SQLite would read a whole index instead of a few rows.
 */
const candidateStatement = (words: number) =>
  prepare<object, { id: string }>(
    `SELECT id FROM process_instances WHERE tenant_id = :tenant_id AND environment = :environment AND id ${inList(':ids')}
    AND (:status = '' OR status = :status) AND (:definitions = '' OR :definitions LIKE '%' || definition_id || '%')
    ${Array.from({ length: words }, (_, at) => `AND terms LIKE :pattern${at} ESCAPE '\\'`).join(' ')}`,
    ['id'],
  );

/** By the number of words less one. */
export const CANDIDATE_STATEMENTS = Array.from({ length: MAX_WORDS }, (_, at) => candidateStatement(at + 1));

/** The instances, of at most 1,000, that match the filter and have all words. */
export async function idsPassing(
  db: TenantReads,
  { environment, status, definitionIds }: Filter,
  words: readonly Word[],
  ids: readonly string[],
): Promise<string[]> {
  if (definitionIds?.length === 0 || ids.length === 0) return [];
  const patterns = words.length > 0 ? words.map(patternOf) : ['%'];
  const statement = CANDIDATE_STATEMENTS[patterns.length - 1];
  if (!statement) throw new Error(`there is no statement for ${patterns.length} words`);
  const filter = { environment, status: status ?? '', definitions: definitionIds?.join() ?? '' };
  const patternParams = Object.fromEntries(patterns.map((pattern, at) => [`pattern${at}`, pattern]));
  const rows = await statement.all(db, { ids, ...filter, ...patternParams });
  return rows.map(({ id }) => id);
}
