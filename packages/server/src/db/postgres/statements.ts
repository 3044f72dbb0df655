import pg from 'pg';
import { DbError, forEngine, type Sql } from '../db.ts';

/** The text of a statement for PostgreSQL, and its answer. */

const texts = new WeakMap<Sql, string>();

export function textOf(statement: Sql): string {
  let text = texts.get(statement);
  if (text === undefined) {
    text = forEngine(statement.text, 'postgres');
    texts.set(statement, text);
  }
  return text;
}

const forSeveralRows = new WeakMap<Sql, Map<number, Sql>>();

/** The INSERT for `count` rows, whose values follow one another. */
export function forRows(statement: Sql, count: number): Sql {
  if (count === 1) return statement;
  const variants = forSeveralRows.get(statement) ?? new Map<number, Sql>();
  forSeveralRows.set(statement, variants);
  const cached = variants.get(count);
  if (cached) return cached;
  const text = textOf(statement).replace(/VALUES (\([^()]*\))/, (_, row: string) => {
    const width = row.match(/\$\d+/g)?.length ?? 0;
    const rowAt = (at: number) => row.replace(/\$(\d+)/g, (__, number) => `$${Number(number) + at * width}`);
    return `VALUES ${Array.from({ length: count }, (__, at) => rowAt(at)).join(', ')}`;
  });
  const several = { text, ...(statement.name && { name: `${statement.name}_x${count}` }) };
  variants.set(count, several);
  return several;
}

/** The rows of a statement, and its command tag: `UPDATE 3`. */
export type Answer = { readonly rows: readonly object[]; readonly command: string };

export function rowCountOf({ command }: Answer): number {
  return Number(command.slice(command.lastIndexOf(' ') + 1)) || 0;
}

const BYTEA = 17;
const INT8 = 20;
const HEX_PREFIX = '\\x';

// Counters and times are exact as a double; pg would return them as text.
export function typeParser(oid: number, format?: unknown) {
  if (oid === INT8) return Number;
  if (oid === BYTEA) return ownBytes;
  return pg.types.getTypeParser(oid, format as 'text');
}

/**
 * Bytes in their own memory. A small `Buffer.from` is a slice of a pool of 64 KiB, and a cache that holds the slice holds
 * the whole pool.
 */
function ownBytes(hex: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow((hex.length - HEX_PREFIX.length) / 2);
  bytes.write(hex.slice(HEX_PREFIX.length), 'hex');
  return bytes;
}

/** Class 08: the connection is lost. 57P: the server stops or starts. 53: it has no memory or connection left. */
const UNAVAILABLE_CLASSES = ['08', '57P', '53'];
/** The server is a standby or was demoted to one; it cannot read or write its files. */
const UNAVAILABLE_CODES = ['25006', '58030'];

export function toDbError(error: unknown): unknown {
  // Any other error is a failed connection. Its code can look like one of the server's, as EPIPE does.
  if (!(error instanceof pg.DatabaseError) || !error.code) return new DbError('unavailable', error);
  const { code } = error;
  if (code === '23505') return new DbError('unique', error);
  if (code === '53100') return new DbError('full', error);
  if (code === '57014' || code === '55P03' || code === '40P01') return new DbError('busy', error);
  const isAway = UNAVAILABLE_CODES.includes(code) || UNAVAILABLE_CLASSES.some((start) => code.startsWith(start));
  return isAway ? new DbError('unavailable', error) : error;
}

export function isUnavailable(error: unknown): error is DbError {
  return error instanceof DbError && error.fault === 'unavailable';
}
