import { createHash } from 'node:crypto';
import { ID_PATTERN } from '../../kernel/ids.ts';
import {
  asContent,
  assertKey,
  type BlobContent,
  BlobError,
  type Blobs,
  missingBlob,
  type StoredBlob,
  shardOf,
} from './blobs.ts';
import { readStream } from './read-stream.ts';
import { type S3Body, type S3Options, type S3Place, s3Requests, textOf } from './s3-request.ts';

export type { S3Place };

const LIST_SIZE = 1000;
const MAX_LIST_BYTES = 2 * 2 ** 20;

/** Blobs as objects of a bucket, of Amazon or of whoever speaks like it. An object is there as a whole or not at all. */
export function openS3(place: S3Place, options: S3Options): Blobs {
  const request = s3Requests(place, options);
  const { listSize = LIST_SIZE } = options;
  const pathOf = (key: string) => `${place.prefix}${shardOf(assertKey(key))}/${key}`;
  const page = async (prefix: string, size: number, token?: string): Promise<string> => {
    const query = { 'list-type': '2', 'max-keys': `${size}`, prefix };
    const answer = await request({
      method: 'GET',
      query: { ...query, ...(token !== undefined && { 'continuation-token': token }) },
    });
    if (!answer) throw new BlobError('unavailable', 'the blob store has no such bucket');
    return textOf(answer, MAX_LIST_BYTES);
  };
  const remove = async (path: string) => void (await request({ method: 'DELETE', path }))?.resume();
  return {
    async put(key, content) {
      const answer = await request({ method: 'PUT', path: pathOf(key), body: await bodyOf(asContent(content)) });
      if (!answer) throw new BlobError('unavailable', 'the blob store has no place for a blob');
      answer.resume();
    },
    async get(key) {
      const answer = await request({ method: 'GET', path: pathOf(key) });
      if (!answer) throw missingBlob();
      return readStream(answer);
    },
    delete: (key) => remove(pathOf(key)),
    async *list(shard) {
      const prefix = `${place.prefix}${shard}/`;
      for (let token: string | undefined = ''; token !== undefined; ) {
        const text = await page(prefix, listSize, token || undefined);
        yield* storedIn(text, prefix, remove);
        token = /<IsTruncated>true<\/IsTruncated>/.test(text) ? textIn(text, 'NextContinuationToken') : undefined;
      }
    },
    async check() {
      await page(place.prefix, 1);
    },
  };
}

/** Signed with its hash, so that the store refuses what was damaged on the way. It is hashed between two turns of others. */
async function bodyOf({ size, chunks }: BlobContent): Promise<S3Body> {
  const hash = createHash('sha256');
  const all: Uint8Array[] = [];
  for await (const chunk of chunks()) {
    hash.update(chunk);
    all.push(chunk);
  }
  const sent = all.reduce((sum, { length }) => sum + length, 0);
  if (sent !== size) throw new Error(`a blob of ${size} bytes has ${sent}`);
  return { sha256: hash.digest('hex'), size, chunks: all };
}

/** A list is XML, but all that we put there are ids: whatever would need decoding is not ours. */
function* storedIn(list: string, prefix: string, remove: (path: string) => Promise<void>): Generator<StoredBlob> {
  for (const [, entry = ''] of list.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
    const path = textIn(entry, 'Key') ?? '';
    const key = path.slice(prefix.length);
    const storedAt = Date.parse(textIn(entry, 'LastModified') ?? '');
    if (!path.startsWith(prefix) || !ID_PATTERN.test(key) || Number.isNaN(storedAt)) continue;
    yield { key, storedAt, remove: () => remove(path) };
  }
}

function textIn(xml: string, tag: string): string | undefined {
  return new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1];
}
