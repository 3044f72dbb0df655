import { BlobError, type BlobReader, type Blobs, SHARDS } from './blobs.ts';
import { MAX_READ_BYTES } from './read-file.ts';

export type CopyBlobs = {
  from: Pick<Blobs, 'list' | 'get'>;
  to: Pick<Blobs, 'list' | 'put'>;
  /** Called after each shard. */
  onShard(done: number, of: number): void;
};

const AT_ONCE = 8;
/** Far above the limit of an upload. */
const MAX_BLOB_BYTES = 256 * 2 ** 20;

/** Copies what the target lacks, so an interrupted copy continues. Rejects unless everything is there at the end. */
export async function copyBlobs({ from, to, onShard }: CopyBlobs): Promise<{ copied: number; present: number }> {
  let [copied, present] = [0, 0];
  for (const [at, shard] of SHARDS.entries()) {
    const keys = await keysOf(from, shard);
    if (keys.size > 0) {
      const missing = [...keys.difference(await keysOf(to, shard))];
      for (let first = 0; first < missing.length; first += AT_ONCE) {
        await Promise.all(missing.slice(first, first + AT_ONCE).map((key) => copyBlob(from, to, key)));
      }
      const absent = [...keys.difference(await keysOf(to, shard))];
      if (absent.length > 0) throw new Error(`${absent.length} blobs did not arrive, the first is ${absent[0]}`);
      copied += missing.length;
      present += keys.size;
    }
    onShard(at + 1, SHARDS.length);
  }
  return { copied, present };
}

async function copyBlob(from: Pick<Blobs, 'get'>, to: Pick<Blobs, 'put'>, key: string): Promise<void> {
  await to.put(key, await readBlob(from, key));
}

export async function readBlob(from: Pick<Blobs, 'get'>, key: string): Promise<Buffer> {
  const reader = await from.get(key);
  try {
    return await readWhole(reader);
  } finally {
    await reader.close();
  }
}

export async function findBlob(from: Pick<Blobs, 'get'>, key: string): Promise<Buffer | undefined> {
  try {
    return await readBlob(from, key);
  } catch (error) {
    if (error instanceof BlobError && error.fault === 'missing') return undefined;
    throw error;
  }
}

async function readWhole(reader: BlobReader): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let size = 0; ; ) {
    const part = Buffer.from(await reader.read(MAX_READ_BYTES));
    parts.push(part);
    size += part.length;
    if (part.length < MAX_READ_BYTES) return Buffer.concat(parts);
    if (size > MAX_BLOB_BYTES) throw new Error(`a blob has more than ${MAX_BLOB_BYTES} bytes`);
  }
}

export async function keysOf(blobs: Pick<Blobs, 'list'>, shard: string): Promise<Set<string>> {
  const keys = new Set<string>();
  for await (const { key } of blobs.list(shard)) if (key !== undefined) keys.add(key);
  return keys;
}

const LISTS_AT_ONCE = 16;

export async function allKeys(blobs: Pick<Blobs, 'list'>): Promise<Set<string>> {
  const keys = new Set<string>();
  for (let first = 0; first < SHARDS.length; first += LISTS_AT_ONCE) {
    const lists = await Promise.all(SHARDS.slice(first, first + LISTS_AT_ONCE).map((shard) => keysOf(blobs, shard)));
    for (const list of lists) for (const key of list) keys.add(key);
  }
  return keys;
}
