import { DbError } from '../db.ts';

const UNIQUE = 2067;
const PRIMARY_KEY = 1555;
const BUSY = 5;
const FULL = 13;

/** The error of SQLite as the `DbError` of both engines, if there is one. */
export function toDbError(error: unknown): unknown {
  const code = (error as { errcode?: number } | null)?.errcode;
  if (code === undefined) return error;
  if (code === UNIQUE || code === PRIMARY_KEY) return new DbError('unique', error);
  if (isBusy(error)) return new DbError('busy', error);
  if ((code & 0xff) === FULL) return new DbError('full', error);
  return error;
}

/** Whether another connection has locked the database. The lower byte is the same for all kinds of it. */
export function isBusy(error: unknown): boolean {
  const { errcode = 0 } = error as { errcode?: number };
  return (errcode & 0xff) === BUSY;
}
