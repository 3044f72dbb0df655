import { statSync } from 'node:fs';
import type { Config } from '../config.ts';
import type { View } from '../db/view.ts';
import { canHoldSealedData, checkSeals, holdsSealedData, type TenantIds } from '../secrets/check-seals.ts';
import { type MasterKey, openMasterKey } from '../secrets/master-key.ts';
import { type Check, fault, ok, warning } from './check.ts';
import { openToOthers } from './open-to-others.ts';

const MAX_SHOWN_FAULTS = 5;
const NAME = 'master key';

/** The key itself; `missing` is the file that should hold it. */
export type Key = { checks: Check[]; master: MasterKey | undefined; missing: string | undefined };

export function checkKey({ masterKey }: Pick<Config, 'masterKey'>): Key {
  const file = 'file' in masterKey ? masterKey.file : undefined;
  const stats = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  if (file !== undefined && !stats) return { checks: [], master: undefined, missing: file };
  const checks: Check[] = [];
  const open = stats && openToOthers(stats);
  if (open) {
    const remedy = `chmod 600 ${file}, then grove rotate master-key.`;
    checks.push(fault(NAME, `Others may read ${file} (mode ${open}).`, remedy));
  }
  try {
    const master = openMasterKey(masterKey);
    const where = file ?? 'GROVE_MASTER_KEY';
    if (checks.length === 0) checks.push(ok(NAME, `Version ${master.current.version}, from ${where}.`));
    return { checks, master, missing: undefined };
  } catch (error) {
    const remedy = 'Put back the key that sealed this data; a new one would not open it.';
    checks.push(fault(NAME, `${(error as Error).message}.`, remedy));
    return { checks, master: undefined, missing: undefined };
  }
}

/** Checks whether the key opens the sealed data of the database. */
export async function checkKeyOpens(view: View, { master, missing }: Key, tenantIds: TenantIds): Promise<Check[]> {
  const remedy = 'Put back the key that sealed this data, or set GROVE_MASTER_KEY or GROVE_MASTER_KEY_FILE.';
  if (missing !== undefined) {
    if (!(await holdsSealedData(view))) return checkNotMade(missing);
    return [fault(NAME, `${missing} is missing, and the database holds data that it sealed.`, remedy)];
  }
  if (!master || !(await canHoldSealedData(view))) return [];
  const { sealed, faults } = await checkSeals(view, master, tenantIds);
  if (faults.length === 0) return [ok(NAME, `It opens everything it sealed (${sealed} keys and secrets).`)];
  const first = faults.slice(0, MAX_SHOWN_FAULTS).join('; ');
  return [fault(NAME, `It does not open ${faults.length} of ${sealed} sealed keys and secrets: ${first}.`, remedy)];
}

/** A missing key is only a warning if nothing is sealed yet: the first start creates it. */
export function checkNotMade(missing: string | undefined): Check[] {
  return missing === undefined ? [] : [warning(NAME, `${missing} does not exist.`, 'The first start makes it.')];
}
