import { ApiError } from '../kernel/errors.ts';
import type { TenantTx } from './db.ts';
import { lockName } from './named-lock.ts';

/**
 * A limit on the number of rows. On PostgreSQL, concurrent transactions do not see each other's new rows, so two could both
 * create the last one. Near the limit they run one after another.
 */
export type CountLimit = {
  /** What is counted, and whose: with the tenant, the name of the lock. */
  readonly of: readonly [kind: string, ...owner: string[]];
  readonly limit: number;
  count(): Promise<number>;
};

/** Other transactions never create more than this while one lasts. Further from the limit, nobody waits. */
const NEAR = 1000;

/** Whether one more may be created. The caller creates it in the same transaction. */
export async function isBelowLimit(tx: TenantTx, { of, limit, count }: CountLimit): Promise<boolean> {
  if (limit > NEAR && (await count()) < limit - NEAR) return true;
  lockName(tx, ...of);
  return (await count()) < limit;
}

/** Refuses with 100065 if there is no room for one more. */
export async function ensureBelowLimit(tx: TenantTx, limit: CountLimit, detail?: string): Promise<void> {
  if (await isBelowLimit(tx, limit)) return;
  throw new ApiError(100065, detail === undefined ? {} : { detail });
}
