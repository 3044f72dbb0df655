import type { TenantTx } from '../../db/db.ts';
import type { Vault } from '../../secrets/vault.ts';
import { instanceSubject } from '../instances/instance-subject.ts';
import {
  blobKeysOf,
  findChildrenForUpdate,
  type InstanceRow,
  removeInstance,
} from '../instances/process-instances.repository.ts';
import type { TellEvents } from '../instances/tell-events.ts';
import type { Drive } from '../runtime/drive.ts';
import type { BeginErasure, Deletion } from './begin-erasure.ts';
import { forgetParameters } from './forget-parameters.ts';

export type DeleteInstanceDeps = {
  vault: Pick<Vault, 'destroySubject'>;
  drive: Pick<Drive, 'apply'>;
  beginErasure: BeginErasure;
  tell: TellEvents;
};

/** The instance, and its parent is told. The caller has locked the chain down to the row. */
export async function deleteInChain(
  tx: TenantTx,
  row: InstanceRow,
  deletion: Deletion,
  deps: DeleteInstanceDeps,
): Promise<void> {
  await deleteInstance(tx, row, deletion, deps);
  if (row.parent_id === null) return;
  // The journey that waits for it would wait for ever.
  const gone = { type: 'childEnded', childId: row.id, status: 'COMPLETED_TERMINATED' } as const;
  await deps.drive.apply(tx, row.parent_id, gone, deletion.at);
}

/**
 * The instance and all data of its end user, children first. Once the transaction commits, what was sealed for it cannot
 * be opened any more, also where it has not been removed yet: blobs go with a job, copies of the database in time.
 */
async function deleteInstance(
  tx: TenantTx,
  row: InstanceRow,
  deletion: Deletion,
  deps: DeleteInstanceDeps,
): Promise<void> {
  for (const child of await findChildrenForUpdate(tx, row.id)) await deleteInstance(tx, child, deletion, deps);
  const { at, by, reason } = deletion;
  // The last of its numbers, though the others have gone by the time it is told.
  const event = { type: 'instance.deleted', status: row.status, data: { reason } };
  await deps.tell(tx, row, [event], { before: row.sequence, now: at });
  await deps.beginErasure(tx, row, await blobKeysOf(tx, row.id), deletion);
  await deps.vault.destroySubject(tx, instanceSubject(row.id));
  await removeInstance(tx, row, by, at);
  if (row.token_id !== null) await forgetParameters(tx, row.token_id, at);
}
