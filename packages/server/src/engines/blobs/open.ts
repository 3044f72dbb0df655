import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import type { Blobs } from './blobs.ts';
import { openFolder } from './folder.ts';
import { openS3, type S3Place } from './s3.ts';

export type BlobPlace = { blobFolder: string; s3: S3Place | undefined };

/** A bucket if there is one, else the folder. */
export function openBlobs(config: BlobPlace, clock: Clock): Blobs {
  return config.s3 ? openS3(config.s3, { now: () => clock.now() }) : openFolder(config.blobFolder);
}

const ERASED = 'erased';

/** A place of its own within that of the blobs, for what must outlive a database: nothing there is ever swept away. */
export function openErased({ blobFolder, s3 }: BlobPlace, clock: Clock): Blobs {
  const within = s3 && { ...s3, prefix: `${s3.prefix}${ERASED}/` };
  return openBlobs({ blobFolder: join(blobFolder, ERASED), s3: within }, clock);
}
