import type { TenantTx } from '../../db/db.ts';
import type { JobDefinition } from '../../jobs/define-job.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Vault } from '../../secrets/vault.ts';
import { BLOBS_PER_JOB, type DeleteBlobs } from './delete-blobs.ts';
import { blobKeysOf, findChildrenForUpdate, type InstanceRow, removeInstance } from './process-instances.repository.ts';

export type DeleteInstanceDeps = {
  vault: Pick<Vault, 'destroySubject'>;
  jobs: Pick<Jobs, 'enqueue'>;
  deleteBlobs: JobDefinition<DeleteBlobs>;
};

/**
 * The instance and all data of its end user, children first. Once the transaction commits, what was sealed for it cannot
 * be opened any more, also where it has not been removed yet: blobs go with a job, copies of the database in time. The
 * caller has locked the row.
 */
export async function deleteInstance(
  tx: TenantTx,
  row: InstanceRow,
  by: string,
  now: number,
  deps: DeleteInstanceDeps,
): Promise<void> {
  for (const child of await findChildrenForUpdate(tx, row.id)) await deleteInstance(tx, child, by, now, deps);
  const keys = await blobKeysOf(tx, row.id);
  for (let from = 0; from < keys.length; from += BLOBS_PER_JOB) {
    await deps.jobs.enqueue(tx, deps.deleteBlobs, { keys: keys.slice(from, from + BLOBS_PER_JOB) });
  }
  await deps.vault.destroySubject(tx, subjectOf(row.id));
  await removeInstance(tx, row, by, now);
}

/** Under which the vault keeps the key of everything sealed for an instance. */
export function subjectOf(instanceId: string): string {
  return `instance:${instanceId}`;
}
