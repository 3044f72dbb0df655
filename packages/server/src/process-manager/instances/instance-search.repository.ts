import { type Sql, sql, type TenantReads, type Value } from '../../db/db.ts';
import type { Filter } from './list-instances.ts';

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

/** A word that is looked for: as a whole, or as the beginning of one. */
export type Word = { readonly text: string; readonly begins: boolean };

/** Greater than every text that begins with what stands before it. */
const LAST = '\u{10FFFF}';

/** The instances that bear a word, in no order and some of them perhaps twice; no more than `size`. */
export async function idsWithWord(
  db: TenantReads,
  { environment, range }: Filter,
  { text, begins }: Word,
  { size, offset }: { size: number; offset: number },
): Promise<string[]> {
  const within = [range.from, range.below, size, offset];
  const found = begins
    ? await db.get<Joined>(SEARCH_STATEMENTS.beginning, [db.tenantId, environment, text, text + LAST, ...within])
    : await db.get<Joined>(SEARCH_STATEMENTS.exact, [db.tenantId, environment, text, ...within]);
  const ids = found?.ids ?? '';
  return Array.from({ length: ids.length / ID_LENGTH }, (_, at) => ids.slice(at * ID_LENGTH, (at + 1) * ID_LENGTH));
}

type Joined = { ids: string | null };

/** What an instance's own list of words looks like if the word is in it; the list is JSON. */
function patternOf({ text, begins }: Word): string {
  const written = JSON.stringify(text);
  const quoted = begins ? written.slice(0, -1) : written;
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
  const known = candidateStatements.get(key);
  if (known) return known;
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
    ...[db.tenantId, environment, status ?? '', definitionIds?.join() ?? ''],
    ...padded,
    ...patterns,
  ]);
  return rows.map(({ id }) => id);
}

const bearingStatements = new Map<number, Sql>();

/** Those of at most 1,000 instances that bear a whole word: one look into the index for each. */
export async function bearing(
  db: TenantReads,
  { environment }: Filter,
  text: string,
  ids: readonly string[],
): Promise<string[]> {
  const size = SIZES.find((each) => each >= ids.length) ?? CANDIDATES_AT_ONCE;
  let statement = bearingStatements.get(size);
  if (!statement) {
    const places = Array.from({ length: size }, (_, at) => `$${at + 4}`).join(', ');
    statement = sql(
      `SELECT instance_id AS id FROM instance_terms
      WHERE tenant_id = $1 AND environment = $2 AND term = $3 AND instance_id IN (${places})`,
      toId,
    );
    bearingStatements.set(size, statement);
  }
  const padded = [...ids, ...new Array<string>(size - ids.length).fill('')];
  const rows = await db.all<{ id: string }>(statement, [db.tenantId, environment, text, ...padded]);
  return rows.map(({ id }) => id);
}
