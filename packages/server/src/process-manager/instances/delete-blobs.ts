import type { Blobs } from '../../engines/blobs/blobs.ts';
import { defineJob, type JobDefinition } from '../../jobs/define-job.ts';
import { UNTIL_ERASED } from '../../jobs/patience.ts';

export type DeleteBlobs = { readonly keys: readonly string[] };

/** Deletes blobs after the rows that named them, and retries until it works: no row names them any more. */
export function deleteBlobsJob(blobs: Pick<Blobs, 'deleteAll'>): JobDefinition<DeleteBlobs> {
  return defineJob<DeleteBlobs>({
    kind: 'process-manager.delete-blobs',
    does: 'removes blobs after their rows were deleted',
    ...UNTIL_ERASED,
    async run({ keys }, { signal }) {
      signal.throwIfAborted();
      await blobs.deleteAll(keys);
    },
  });
}
