import type { Clock } from '../../kernel/clock.ts';
import type { Blobs } from './blobs.ts';
import { openFolder } from './folder.ts';
import { openS3, type S3Place } from './s3.ts';

/** A bucket if there is one, else the folder. */
export function openBlobs(place: { blobFolder: string; s3: S3Place | undefined }, clock: Clock): Blobs {
  return place.s3 ? openS3(place.s3, { now: () => clock.now() }) : openFolder(place.blobFolder);
}
