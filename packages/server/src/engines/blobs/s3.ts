import { createHash } from 'node:crypto';
import { escapeHtml } from '../../kernel/escape.ts';
import { creationTimeOf, ID_PATTERN } from '../../kernel/ids.ts';
import {
  asContent,
  assertKey,
  type BlobContent,
  BlobError,
  type Blobs,
  deleteEach,
  missingBlob,
  type StoredBlob,
  shardOf,
} from './blobs.ts';
import { readStream } from './read-stream.ts';
import { type S3Body, type S3Options, type S3Place, s3Requests, textOf } from './s3-request.ts';

export type { S3Place };

const PARTIAL_CONTENT = 206;
const LIST_SIZE = 1000;
const MAX_LIST_BYTES = 2 * 2 ** 20;
/** The most objects that one request may delete. */
const DELETE_SIZE = 1000;

/** Stores blobs as objects of a bucket of Amazon or a compatible store. An object is there as a whole or not at all. */
export function openS3(bucket: S3Place, options: S3Options): Blobs {
  const request = s3Requests(bucket, options);
  const { listSize = LIST_SIZE } = options;
  const pathOf = (key: string) => `${bucket.prefix}${shardOf(assertKey(key))}/${key}`;
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
  const removeKey = (key: string) => remove(pathOf(key));
  /** Not every store can delete several objects at once. One that could not is not asked again. */
  let deletesMany = true;
  const removeMany = async (keys: readonly string[]) => {
    const body = deletionOf(keys.map(pathOf));
    const answer = await request({ method: 'POST', query: { delete: '' }, body });
    if (!answer) throw new BlobError('unavailable', 'the blob store has no such bucket');
    const text = await textOf(answer, MAX_LIST_BYTES);
    if (text.includes('<Error>'))
      throw new BlobError('unavailable', 'the blob store deleted some blobs and not others');
  };
  return {
    async put(key, content) {
      const answer = await request({ method: 'PUT', path: pathOf(key), body: await bodyOf(asContent(content)) });
      if (!answer) throw new BlobError('unavailable', 'the blob store has no place for a blob');
      answer.resume();
    },
    async get(key, part) {
      const answer = await request({ method: 'GET', path: pathOf(key), ...(part && { part }) });
      if (!answer) throw missingBlob();
      if (part && answer.statusCode !== PARTIAL_CONTENT) {
        answer.on('error', () => undefined).destroy();
        throw new BlobError('unavailable', 'the blob store cannot give a part of a blob');
      }
      return readStream(answer);
    },
    delete: removeKey,
    async deleteAll(keys) {
      for (let from = 0; from < keys.length; from += DELETE_SIZE) {
        const some = keys.slice(from, from + DELETE_SIZE);
        const isDone = deletesMany && some.length > 1 && (await removeMany(some).then(() => true, isBlobFault));
        if (isDone) continue;
        await deleteEach(some, removeKey);
        // The store deleted them one by one.
        if (some.length > 1) deletesMany = false;
      }
    },
    async *list(shard) {
      const prefix = `${bucket.prefix}${shard}/`;
      for (let token: string | undefined = ''; token !== undefined; ) {
        const text = await page(prefix, listSize, token || undefined);
        yield* storedIn(text, prefix, remove);
        token = /<IsTruncated>true<\/IsTruncated>/.test(text) ? textIn(text, 'NextContinuationToken') : undefined;
      }
    },
    async check() {
      await page(bucket.prefix, 1);
    },
  };
}

/**
 * Signs the body with its hash, so that the store refuses bytes that were damaged on the way. Other requests are served
 * while it is hashed.
 */
async function bodyOf({ size, chunks }: BlobContent): Promise<S3Body> {
  const hash = createHash('sha256');
  const all: Uint8Array[] = [];
  for await (const chunk of chunks()) {
    hash.update(chunk);
    all.push(chunk);
  }
  const sentBytes = all.reduce((sum, { length }) => sum + length, 0);
  if (sentBytes !== size) throw new Error(`a blob of ${size} bytes has ${sentBytes}`);
  return { sha256: hash.digest('hex'), size, chunks: all };
}

function deletionOf(paths: readonly string[]): S3Body {
  const objects = paths.map((path) => `<Object><Key>${escapeHtml(path)}</Key></Object>`).join('');
  const xml = Buffer.from(
    `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${objects}</Delete>`,
  );
  return {
    sha256: createHash('sha256').update(xml).digest('hex'),
    size: xml.length,
    chunks: [xml],
    md5: createHash('md5').update(xml).digest('base64'),
  };
}

function isBlobFault(error: unknown): false {
  if (error instanceof BlobError) return false;
  throw error;
}

/** A list is XML, but all our objects are ids: an entry that would need decoding is not ours. */
function* storedIn(list: string, prefix: string, remove: (path: string) => Promise<void>): Generator<StoredBlob> {
  for (const [, entry = ''] of list.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
    const path = textIn(entry, 'Key') ?? '';
    const key = path.slice(prefix.length);
    const modifiedAt = Date.parse(textIn(entry, 'LastModified') ?? '');
    if (!path.startsWith(prefix) || !ID_PATTERN.test(key) || Number.isNaN(modifiedAt)) continue;
    yield { key, storedAt: Math.max(modifiedAt, creationTimeOf(key)), remove: () => remove(path) };
  }
}

function textIn(xml: string, tag: string): string | undefined {
  return new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1];
}
