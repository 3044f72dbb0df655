/**
 * The words that SQLite and PostgreSQL spell differently. A comment that begins with an engine's name is SQL for that
 * engine alone; `forEngine` uncomments it.
 */

/** Locks the selected rows against other writers until the transaction ends. SQLite has one writer and needs no lock. */
export const FOR_UPDATE = '/*postgres FOR UPDATE*/';

/** Locks the selected rows against changes until the transaction ends. */
export const FOR_SHARE = '/*postgres FOR SHARE*/';

/** Locks the rows of one table of a join. */
export const forUpdateOf = (alias: string) => `/*postgres FOR UPDATE OF ${alias}*/`;

/** Locks the selected rows, and skips those that another transaction has locked. */
export const SKIP_LOCKED = '/*postgres FOR UPDATE SKIP LOCKED*/';

/** `+ 0` hides the value from SQLite's planner, which would otherwise prepare the statement anew for every other limit. */
export const LIMIT = 'LIMIT :limit + 0';
export const PAGE = 'LIMIT :limit + 0 OFFSET :offset + 0';

/** PostgreSQL sums integers to `numeric`, which would arrive as text. */
export function bigint<const E extends string>(expression: E) {
  return `/*postgres CAST(*/${expression}/*postgres  AS BIGINT)*/` as const;
}

/** The elements of a parameter that is a JSON array of texts, as rows with a `value`. */
export function jsonTexts<const P extends string>(parameter: P) {
  return `SELECT value FROM /*sqlite json_each(*//*postgres json_array_elements_text(CAST(*/${parameter}/*postgres  AS json)*/)` as const;
}

/**
 * Whether a text is in a list: `id ${inList(':ids')}`. The parameter is an array. PostgreSQL gets an array too, whose elements
 * it looks up in an index; with IN (SELECT …) and no statistics yet, it would read all rows of the tenant.
 */
export function inList<const P extends string>(parameter: P) {
  return `/*sqlite IN (*//*postgres = ANY (ARRAY(*/${jsonTexts(`${parameter}[]`)}/*postgres )*/)` as const;
}

/** The elements of a parameter that is a JSON array of pairs of texts, as rows with `one` and `other`. */
export function jsonPairs<const P extends string>(parameter: P) {
  return `SELECT value ->> 0 AS one, value ->> 1 AS other FROM /*sqlite json_each(*//*postgres json_array_elements(CAST(*/${parameter}/*postgres  AS json)*/)` as const;
}

/** Holds a lock of that name until the transaction ends. SQLite has one writer and needs none. */
export function namedLock<const P extends string>(parameter: P) {
  return `/*postgres pg_advisory_xact_lock(hashtextextended(*/${parameter}/*postgres , 0))*/` as const;
}

/**
 * Makes PostgreSQL read queues by their index, which is in order, for the rest of the transaction. It would otherwise read
 * and sort the whole queue.
 */
export const BY_INDEX = `SELECT 1 AS chosen /*postgres , set_config('enable_bitmapscan', 'off', true),
  set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true)*/`;

/** Compares names byte by byte, as SQLite does, so that all names with a prefix form a range. */
export const byBytes = (column: string) => `${column} /*postgres COLLATE "C"*/`;

/**
 * Compares names in the database's language, as the columns and indexes of the oldest tables do. An id of a newer table must
 * be compared like this with an id of an older one, or PostgreSQL reads the whole older table.
 */
export function byLanguage<const C extends string>(column: C) {
  return `${column} /*postgres COLLATE "default"*/` as const;
}

/** `count` bytes, all of them zero. */
export const zeroBytes = (count: number) =>
  `/*sqlite zeroblob(${count})*//*postgres CAST('\\x${'00'.repeat(count)}' AS BYTEA)*/`;

/** The number of elements of a text that is a JSON array. */
export const jsonLength = (column: string) =>
  `/*sqlite json_array_length(${column})*//*postgres json_array_length(CAST(${column} AS json))*/`;

/** The values of a column as a JSON array in a text. */
export const jsonArrayOf = (column: string) =>
  `/*sqlite json_group_array(${column})*//*postgres coalesce(CAST(json_agg(${column}) AS TEXT), '[]')*/`;

/** Makes SQLite read the table by that index. PostgreSQL chooses it by its statistics. */
export const indexedBy = (index: string) => `/*sqlite INDEXED BY ${index}*/`;

/** Keeps SQLite from choosing the index of a column that selects little. */
export const withoutIndex = (column: string) => `/*sqlite +*/${column}`;
