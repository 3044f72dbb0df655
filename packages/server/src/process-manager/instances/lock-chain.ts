import type { TenantTx } from '../../db/db.ts';
import type { Context } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { ensureVisible } from './ensure-visible.ts';
import { findInstanceJourney } from './instance-journey.repository.ts';
import {
  findInstance,
  findInstanceForUpdate,
  findRootForUpdate,
  type InstanceRow,
  lockRoot,
} from './process-instances.repository.ts';

/** The deepest chain of children; a deeper one is a fault of a definition. */
export const MAX_DEPTH = 4;

/**
 * Locks the chain and reads the instance with its journey under the locks. Both statements are sent together: the lock comes
 * first. In a chain of several levels the other locks come later, so the instance is read again.
 */
export async function lockAndRead(tx: TenantTx, instanceId: string) {
  const [root, first] = await Promise.all([lockRoot(tx, { id: instanceId }), findInstanceJourney(tx, instanceId)]);
  const chain = root ? [root] : await lockBelow(tx, instanceId);
  const journey = root ? first : await findInstanceJourney(tx, instanceId);
  if (!journey) throw new ApiError(100022);
  return { chain, journey };
}

/** Locks the chain from the root down to the instance. All transactions use this order (deadlock). */
export async function lockChain(tx: TenantTx, instanceId: string): Promise<InstanceRow[]> {
  // Most instances have no parent.
  const root = await findRootForUpdate(tx, instanceId);
  return root ? [root] : lockBelow(tx, instanceId);
}

/** Locks an instance that the caller may see, after those above it (deadlock). */
export async function lockVisible(
  context: Pick<Context, 'principal'>,
  tx: TenantTx,
  instanceId: string,
): Promise<InstanceRow> {
  return ensureVisible(context, (await lockChain(tx, instanceId)).at(-1));
}

async function lockBelow(tx: TenantTx, instanceId: string): Promise<InstanceRow[]> {
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
