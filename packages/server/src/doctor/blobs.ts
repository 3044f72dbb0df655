import type { Config } from '../config.ts';
import { areImagesOfOneMachine } from '../config-places.ts';
import { BlobError } from '../engines/blobs/blobs.ts';
import { openBlobs } from '../engines/blobs/open.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Check, fault, ok, warning } from './check.ts';

/** Checks whether images can be stored. It writes nothing, and only lists what a bucket holds. */
export async function checkBlobs(
  config: Pick<Config, 'blobFolder' | 's3' | 'database' | 'dataFolder'>,
  clock: Clock,
): Promise<Check> {
  const name = 'images';
  const { s3, blobFolder } = config;
  const location = s3 ? `the bucket ${s3.bucket} at ${new URL(s3.endpoint).host}` : blobFolder;
  try {
    await openBlobs(config, clock).check();
  } catch (error) {
    const why = error instanceof BlobError ? error.detail.log : (error as Error).message;
    const remedy = s3
      ? 'Look at BLOB_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and at what the key may do.'
      : 'Give the folder to the user of the server, or set BLOB_URL.';
    return fault(name, `Images cannot be kept in ${location}: ${why}.`, remedy);
  }
  if (areImagesOfOneMachine(config)) {
    const remedy = 'Servers on several machines need a folder that all of them share, or BLOB_URL=s3://….';
    return warning(name, `Images are kept in ${location}, on this machine.`, remedy);
  }
  return ok(name, `Images are kept in ${location}.`);
}
