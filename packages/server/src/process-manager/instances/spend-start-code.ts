import type { TenantTx } from '../../db/db.ts';
import { hashCode, instanceOfCode } from './one-time-code.ts';
import { spendStartCode as spend } from './process-instances.repository.ts';

/** Undefined if the code is unknown, used or expired. */
export async function spendStartCode(tx: TenantTx, code: string, now: number): Promise<string | undefined> {
  const instanceId = instanceOfCode(code);
  return instanceId === undefined ? undefined : spend(tx, { instanceId, hash: hashCode(code), now });
}
