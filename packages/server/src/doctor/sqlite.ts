import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { viewSqlite } from '../db/view.ts';
import { type Check, fault, ok, warning } from './check.ts';
import { openToOthers } from './open-to-others.ts';

const NAME = 'database';
const RESTORE = 'Stop the server and restore a backup: grove restore <file> --force.';

export async function checkSqlite(file: string): Promise<Check[]> {
  const view = viewSqlite(file);
  try {
    const [row] = view.pragma('quick_check(1)');
    if (row?.quick_check !== 'ok') return [fault(NAME, `${file} is damaged: ${String(row?.quick_check)}.`, RESTORE)];
  } finally {
    await view.close();
  }
  const checks = [ok(NAME, `${file} is whole.`)];
  const open = openToOthers(statSync(file));
  if (open) checks.push(warning(NAME, `Others may read ${file} (mode ${open}).`, `chmod 600 ${file}`));
  if (!isWal(file))
    checks.push(warning(NAME, 'It is not in WAL mode: readers wait for writers.', 'The next start sets it.'));
  return checks;
}

/** Byte 18 of a database file is 2 if it has a write-ahead log. */
function isWal(file: string): boolean {
  const handle = openSync(file, 'r');
  try {
    const byte = Buffer.alloc(1);
    return readSync(handle, byte, 0, 1, 18) === 1 && byte[0] === 2;
  } finally {
    closeSync(handle);
  }
}

export function sqliteNotMade(file: string): Check {
  return warning(NAME, `${file} does not exist.`, 'The first start makes it; or grove restore.');
}

export function sqliteUnreadable(file: string, message: string): Check {
  return fault(NAME, `${file} cannot be read: ${message}.`, RESTORE);
}
