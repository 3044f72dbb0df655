import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Check, fault, ok, warning } from './check.ts';
import { openToOthers } from './open-to-others.ts';

const DISK_FAULT_BYTES = 100 * 1024 ** 2;
const DISK_WARNING_BYTES = 1024 ** 3;

export function checkFolder(folder: string): Check[] {
  const name = 'data folder';
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!stats) {
    return [
      warning(name, `${folder} does not exist.`, 'The first start makes it; or set GROVE_DATA.'),
      checkDisk(folder),
    ];
  }
  if (!stats.isDirectory()) return [fault(name, `${folder} is not a folder.`, 'Set GROVE_DATA to a folder.')];
  const checks: Check[] = [];
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    checks.push(ok(name, `${folder} is writable.`));
  } catch {
    checks.push(fault(name, `${folder} is not writable by this user.`, 'Give the folder to the user of the server.'));
  }
  const open = openToOthers(stats);
  if (open) checks.push(warning(name, `Others may look into ${folder} (mode ${open}).`, `chmod 700 ${folder}`));
  return [...checks, checkDisk(folder)];
}

function checkDisk(folder: string): Check {
  let existing = folder;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const { bavail, bsize } = statfsSync(existing);
  return checkFreeSpace(bavail * bsize);
}

export function checkFreeSpace(bytes: number): Check {
  const free = `${(bytes / 1024 ** 3).toFixed(1)} GiB are free.`;
  const remedy = 'Free some space, or move the data folder: a full disk stops every write.';
  if (bytes < DISK_FAULT_BYTES) return fault('disk', free, remedy);
  return bytes < DISK_WARNING_BYTES ? warning('disk', free, remedy) : ok('disk', free);
}
