import type { TenantTx } from '../../db/db.ts';
import { ApiError } from '../../kernel/errors.ts';
import {
  findInstance,
  findInstanceForUpdate,
  findRootForUpdate,
  type InstanceRow,
} from './process-instances.repository.ts';

/** An instance, its child, the child of that: deeper is a definition gone wrong. */
export const MAX_DEPTH = 4;

/**
 * Locks the chain and reads something of the instance under the locks. Both are sent together, because the lock is waited
 * for first; in a chain of several levels the locks come later, so it is read again.
 */
export async function lockAndRead<T>(tx: TenantTx, instanceId: string, readValue: () => Promise<T>) {
  const [chain, first] = await Promise.all([lockChain(tx, instanceId), readValue()]);
  return { chain, row: chain.at(-1) as InstanceRow, value: chain.length === 1 ? first : await readValue() };
}

/** From the root down to the instance: everybody locks in this order, so nobody waits in a circle. */
export async function lockChain(tx: TenantTx, instanceId: string): Promise<InstanceRow[]> {
  // Most instances have no parent.
  const root = await findRootForUpdate(tx, instanceId);
  if (root) return [root];
  const ids: string[] = [];
  for (let id: string | null = instanceId; id !== null; ) {
    const row: InstanceRow | undefined = await findInstance(tx, id);
    if (!row) throw new ApiError(100022);
    ids.unshift(id);
    id = row.parent_id;
  }
  const chain: InstanceRow[] = [];
  for (const id of ids) {
    const row = await findInstanceForUpdate(tx, id);
    if (!row) throw new ApiError(100022);
    chain.push(row);
  }
  return chain;
}
