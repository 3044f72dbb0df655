import { readFile } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { trustOf } from '../identity-store/passkeys/metadata/open-metadata.ts';
import { readBlob } from '../identity-store/passkeys/metadata/read-blob.ts';
import { type Check, fault, ok, warning } from './check.ts';

/** Checks whether FIDO's metadata can be read, if it is configured. It fetches nothing. */
export async function checkMetadata(
  { fidoMetadata: metadataPlace }: Pick<Config, 'fidoMetadata'>,
  now: number,
): Promise<Check[]> {
  if (!metadataPlace) return [];
  const name = 'FIDO metadata';
  const remote = /^https:/i.test(metadataPlace.source);
  const file = remote ? metadataPlace.cacheFile : metadataPlace.source;
  try {
    const blob = readBlob(await readFile(file, 'utf8'), { ...(await trustOf(metadataPlace.rootFile)), now });
    const what = `Edition ${blob.no} of ${blob.models.size} models`;
    if (blob.nextUpdate >= now) return [ok(name, `${what}.`)];
    return [warning(name, `${what} is overdue.`, 'Put the newest edition in its place, or let the server fetch it.')];
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (missing && remote)
      return [warning(name, 'Nothing was fetched yet.', 'The first start fetches it; see its log.')];
    return [
      fault(
        name,
        `${file} cannot be read: ${(error as Error).message}.`,
        'See GROVE_FIDO_MDS and GROVE_FIDO_MDS_ROOT.',
      ),
    ];
  }
}
