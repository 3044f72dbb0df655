/**
 * The words that SQLite and PostgreSQL spell differently. A comment that begins with an engine's name is SQL for that
 * engine alone; `forEngine` uncomments it.
 */

/** Keeps the selected rows from other writers until the transaction ends. SQLite has one writer and needs no lock. */
export const FOR_UPDATE = '/*postgres FOR UPDATE*/';

/** The same, but passes over rows that another transaction has locked. */
export const SKIP_LOCKED = '/*postgres FOR UPDATE SKIP LOCKED*/';

/** `+ 0` hides the value from SQLite's planner, which would otherwise prepare the statement anew for every other limit. */
export const LIMIT = 'LIMIT :limit + 0';
export const PAGE = 'LIMIT :limit + 0 OFFSET :offset + 0';

/** PostgreSQL sums integers to `numeric`, which would arrive as text. */
export function bigint<const E extends string>(expression: E) {
  return `/*postgres CAST(*/${expression}/*postgres  AS BIGINT)*/` as const;
}

/** The elements of a parameter that is a JSON array of texts: `id IN (SELECT value FROM jsonTexts)`. */
export function inJson<const P extends string>(parameter: P) {
  return `IN (SELECT value FROM /*sqlite json_each(*//*postgres json_array_elements_text(CAST(*/:${parameter}/*postgres  AS json)*/))` as const;
}
