import { BlobError, type Blobs, SHARDS } from '../engines/blobs/blobs.ts';
import { dayOf } from '../kernel/clock.ts';
import { asTenantId, newId, type TenantId } from '../kernel/ids.ts';
import type { Vault } from '../secrets/vault.ts';

/**
 * Stores the erasures beside the blobs: a restored copy of the database would bring the erased objects back, and
 * nothing in that copy could tell. An entry holds ids and no personal data. It is sealed with the master key, which is
 * not in the database either, so that nobody else can cause deletions by adding an entry.
 */
export type LogEntries = {
  /** The entry is durable when the promise resolves. */
  add(erased: Erased, at: number): Promise<void>;
  /** The entries since that moment, and perhaps a few from before it. */
  since(at: number, now: number): AsyncGenerator<Erased | Unreadable>;
  /** Removes entries that are older than every backup. */
  forget(now: number): Promise<void>;
};

/** The kinds of erased objects. They are stored, so the names must not change. */
export type ErasedKind =
  | 'instance'
  | 'redacted-instance'
  | 'process-token'
  | 'deleted-process-token'
  | 'user'
  | 'watchlist'
  | 'watchlist-member';

export type Erased = { readonly tenantId: TenantId; readonly kind: ErasedKind; readonly ids: readonly string[] };

/** An entry that is damaged, or that the current master key does not open. */
export type Unreadable = { readonly unreadable: string; readonly reason: string };

export type LogEntriesDeps = {
  entries: Pick<Blobs, 'put' | 'get' | 'list' | 'delete'>;
  vault: Pick<Vault, 'sealOutside' | 'openOutside'>;
};

/** The ids of one entry are searched in the database at once. */
export const MAX_IDS_OF_ENTRY = 100;
/** A restore of an older backup brings erased objects back. */
export const LOG_KEPT_DAYS = 400;
/** Allows for clocks that differ, and for a day that ends while an entry is written. */
const SLACK_DAYS = 2;
/** Keeps entries longer in case the server did not run for a while. */
const FORGOTTEN_AT_ONCE_DAYS = 30;
const MAX_ENTRY_BYTES = 64 * 1024;

export function logEntries({ entries, vault }: LogEntriesDeps): LogEntries {
  const open = (key: string, content: Uint8Array): Erased | Unreadable => {
    try {
      return parseEntry(vault.openOutside(contextOf(key), content).toString('utf8'));
    } catch (error) {
      return { unreadable: key, reason: (error as Error).message };
    }
  };

  return {
    async add(erased, at) {
      if (erased.ids.length > MAX_IDS_OF_ENTRY) throw new Error(`an entry holds at most ${MAX_IDS_OF_ENTRY} ids`);
      const key = newId(at).slice(0, -2) + shardOfDay(dayOf(at));
      await entries.put(key, vault.sealOutside(contextOf(key), Buffer.from(JSON.stringify(erased))));
    },
    async *since(at, now) {
      for await (const { key, content } of storedEntries(entries, at, now)) yield open(key, content);
    },
    async forget(now) {
      const last = dayOf(now) - LOG_KEPT_DAYS - SLACK_DAYS - 1;
      for (let day = last - FORGOTTEN_AT_ONCE_DAYS; day <= last; day++) {
        for await (const { remove } of entries.list(shardOfDay(day))) await remove();
      }
    },
  };
}

/**
 * The sealed entries since a moment, the oldest day first. An entry that cannot be read is an error, so that none is
 * skipped.
 */
export async function* storedEntries(
  entries: Pick<Blobs, 'get' | 'list'>,
  at: number,
  now: number,
): AsyncGenerator<{ key: string; content: Uint8Array }> {
  const last = dayOf(now) + SLACK_DAYS;
  for (let day = Math.max(dayOf(at), dayOf(now) - LOG_KEPT_DAYS) - SLACK_DAYS; day <= last; day++) {
    for await (const { key } of entries.list(shardOfDay(day))) {
      const content = key === undefined ? undefined : await contentOf(entries, key);
      if (key !== undefined && content) yield { key, content };
    }
  }
}

/** The first releases recorded only instances. */
type StoredEntry = { tenantId: string; kind: ErasedKind; ids: string[] } | { tenantId: string; instanceIds: string[] };

function parseEntry(text: string): Erased {
  const stored = JSON.parse(text) as StoredEntry;
  const tenantId = asTenantId(stored.tenantId);
  if ('instanceIds' in stored) return { tenantId, kind: 'instance', ids: stored.instanceIds };
  return { tenantId, kind: stored.kind, ids: stored.ids };
}

export const contextOf = (key: string) => `erased:${key}`;

/**
 * Each day has its own shard, so that a start reads only the last days. A shard is used again long after it was
 * emptied.
 */
const shardOfDay = (day: number) => SHARDS[(day + SHARDS.length) % SHARDS.length] as string;

/** Undefined if another server has removed the entry since it was listed. */
async function contentOf(entries: Pick<Blobs, 'get'>, key: string): Promise<Uint8Array | undefined> {
  try {
    const entry = await entries.get(key);
    try {
      return Buffer.from(await entry.read(MAX_ENTRY_BYTES));
    } finally {
      await entry.close();
    }
  } catch (error) {
    if (error instanceof BlobError && error.fault === 'missing') return undefined;
    throw error;
  }
}
