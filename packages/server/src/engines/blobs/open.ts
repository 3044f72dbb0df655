import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import type { Blobs } from './blobs.ts';
import { openFolder } from './folder.ts';
import { openS3, type S3Place } from './s3.ts';

export type BlobPlace = { blobFolder: string; s3: S3Place | undefined };

/** Opens the bucket if one is configured, otherwise the folder. */
export function openBlobs(config: BlobPlace, clock: Clock): Blobs {
  return config.s3 ? openS3(config.s3, { now: () => clock.now() }) : openFolder(config.blobFolder);
}

const ERASED = 'erased';

/** A separate place within the blobs, for what must outlive a database. It is never swept. */
export function openErased({ blobFolder, s3 }: BlobPlace, clock: Clock): Blobs {
  const within = s3 && { ...s3, prefix: `${s3.prefix}${ERASED}/` };
  return openBlobs({ blobFolder: join(blobFolder, ERASED), s3: within }, clock);
}
