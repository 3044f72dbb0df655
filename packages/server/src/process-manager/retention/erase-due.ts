import type { TenantDb } from '../../db/db.ts';
import { lockChain } from '../instances/lock-chain.ts';
import type { InstanceRow } from '../instances/process-instances.repository.ts';
import type { Deletion } from './begin-erasure.ts';
import { type DeleteInstanceDeps, deleteInChain } from './delete-instance.ts';

/** Deletes the instance if it is still there and still due; says whether it did. */
export type EraseDue = (db: TenantDb, instanceId: string, deletion: Deletion) => Promise<boolean>;

/** Looks again, with the instance locked: it may have gone, or moved on, since it was found. */
export function dueEraser(deps: DeleteInstanceDeps): EraseDue {
  return (db, instanceId, deletion) =>
    db.write(async (tx) => {
      const row = (await lockChain(tx, instanceId)).at(-1);
      if (!row || !isDue(row, deletion.at)) return false;
      await deleteInChain(tx, row, deletion, deps);
      return true;
    });
}

/** As `due.repository.ts` has it. */
function isDue({ expiring_at, deadline_at }: InstanceRow, now: number): boolean {
  return expiring_at <= now && (deadline_at === null || deadline_at <= now);
}
