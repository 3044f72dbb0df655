import type { Blobs } from '../../engines/blobs/blobs.ts';
import { defineJob, type JobDefinition } from '../../jobs/define-job.ts';
import { UNTIL_ERASED } from '../../jobs/patience.ts';

export type DeleteBlobs = { readonly keys: readonly string[] };

/** Blobs go after the rows that named them, and as often as it takes: nobody else knows them any more. */
export function deleteBlobsJob(blobs: Blobs): JobDefinition<DeleteBlobs> {
  return defineJob<DeleteBlobs>({
    kind: 'process-manager.delete-blobs',
    does: 'removes blobs whose rows are gone',
    ...UNTIL_ERASED,
    async run({ keys }, { signal }) {
      for (const key of keys) {
        signal.throwIfAborted();
        await blobs.delete(key);
      }
    },
  });
}
