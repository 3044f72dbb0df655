import { type Sql, sql, type TenantReads, type Value } from '../../db/db.ts';
import type { Filter } from './list-instances.ts';
import { MAX_WORDS, MIN_PREFIX_LENGTH } from './search-terms.ts';

/** The index of words, and the words that every instance carries itself. */

// All of one length and put together in the database: thousands of rows would cost more to hand over than to find.
const ID_LENGTH = 26;
const joined = (select: string) =>
  sql(`SELECT string_agg(id, '') AS ids FROM (${select}) AS bearers`, ([ids]) => ({ ids }));
const toId = ([id]: Value[]) => ({ id });
const BEARERS = 'SELECT instance_id AS id FROM instance_terms WHERE tenant_id = $1 AND environment = $2';

export const SEARCH_STATEMENTS = {
  beginning: joined(`${BEARERS} AND term >= $3 AND term < $4 AND instance_id >= $5 AND instance_id < $6
    LIMIT $7 + 0 OFFSET $8 + 0`),
  exact: joined(`${BEARERS} AND term = $3 AND instance_id >= $4 AND instance_id < $5 LIMIT $6 + 0 OFFSET $7 + 0`),
} as const;

/** Greater than every text that begins with what stands before it. */
const LAST = '\u{10FFFF}';

/** The instances that bear a word, in no order and some of them perhaps twice; no more than `size`. */
export async function idsWithWord(
  db: TenantReads,
  { environment, range }: Filter,
  word: string,
  { size, offset }: { size: number; offset: number },
): Promise<string[]> {
  const within = [range.from, range.below, size, offset];
  const found = isBeginning(word)
    ? await db.get<Joined>(SEARCH_STATEMENTS.beginning, [db.tenantId, environment, word, word + LAST, ...within])
    : await db.get<Joined>(SEARCH_STATEMENTS.exact, [db.tenantId, environment, word, ...within]);
  const ids = found?.ids ?? '';
  return Array.from({ length: ids.length / ID_LENGTH }, (_, at) => ids.slice(at * ID_LENGTH, (at + 1) * ID_LENGTH));
}

type Joined = { ids: string | null };

function isBeginning(word: string): boolean {
  return [...word].length >= MIN_PREFIX_LENGTH;
}

/** What an instance's own list of words looks like if the word is in it; the list is JSON. */
function patternOf(word: string): string {
  const written = JSON.stringify(word);
  const quoted = isBeginning(word) ? written.slice(0, -1) : written;
  return `%${quoted.replace(/[\\%_]/g, '\\$&')}%`;
}

// A filter that is not set lets everything through, so that one statement serves them all.
const FILTERED = `environment = $2 AND ($3 = '' OR status = $3) AND ($4 = '' OR $4 LIKE '%' || definition_id || '%')
  ${Array.from({ length: MAX_WORDS }, (_, at) => `AND terms LIKE $${at + 5} ESCAPE '\\'`).join(' ')}`;
const NEXT = 5 + MAX_WORDS;

function filterValues(db: TenantReads, filter: Filter, words: readonly string[]): Value[] {
  const patterns = words.map(patternOf);
  return [
    ...[db.tenantId, filter.environment, filter.status ?? '', filter.definitionIds?.join() ?? ''],
    ...Array.from({ length: MAX_WORDS }, (_, at) => patterns[at] ?? '%'),
  ];
}

export const CANDIDATES_AT_ONCE = 1000;
const candidateStatements = new Map<number, Sql>();

/** Those of at most 1,000 instances that pass the filter and bear all the words. */
export async function passing(
  db: TenantReads,
  filter: Filter,
  words: readonly string[],
  ids: readonly string[],
): Promise<string[]> {
  if (filter.definitionIds?.length === 0 || ids.length === 0) return [];
  const size = ids.length <= 10 ? 10 : ids.length <= 100 ? 100 : CANDIDATES_AT_ONCE;
  let statement = candidateStatements.get(size);
  if (!statement) {
    const places = Array.from({ length: size }, (_, at) => `$${at + NEXT}`).join(', ');
    const text = `SELECT id FROM process_instances WHERE tenant_id = $1 AND id IN (${places}) AND ${FILTERED}`;
    statement = sql(text, toId);
    candidateStatements.set(size, statement);
  }
  const padded = [...ids, ...new Array<string>(size - ids.length).fill('')];
  const rows = await db.all<{ id: string }>(statement, [...filterValues(db, filter, words), ...padded]);
  return rows.map(({ id }) => id);
}
