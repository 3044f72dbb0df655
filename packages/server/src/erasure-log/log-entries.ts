import { BlobError, type Blobs, SHARDS } from '../engines/blobs/blobs.ts';
import { dayOf } from '../kernel/clock.ts';
import { asTenantId, newId, type TenantId } from '../kernel/ids.ts';
import type { Vault } from '../secrets/vault.ts';

/**
 * What was erased, kept beside the blobs: whoever puts an older copy of the database in place would bring it back, and
 * nothing in that copy could tell. An entry holds ids and nothing of a person. It is sealed by the master key, which is no
 * part of the database either, so nobody else can have anything deleted by adding one.
 */
export type LogEntries = {
  /** Durable when it resolves. */
  add(erased: Erased, at: number): Promise<void>;
  /** What was added since then, and perhaps a little of what was added before. */
  since(at: number, now: number): AsyncGenerator<Erased | Unreadable>;
  /** Removes what no backup can need any more. */
  forget(now: number): Promise<void>;
};

/** The kinds of entries. They are stored, so their names stay. */
export type ErasedKind =
  | 'instance'
  | 'redacted-instance'
  | 'process-token'
  | 'deleted-process-token'
  | 'user'
  | 'watchlist'
  | 'watchlist-member';

export type Erased = { readonly tenantId: TenantId; readonly kind: ErasedKind; readonly ids: readonly string[] };

/** An entry that the present master key does not open, or that is damaged. */
export type Unreadable = { readonly unreadable: string; readonly reason: string };

export type LogEntriesDeps = {
  entries: Pick<Blobs, 'put' | 'get' | 'list' | 'delete'>;
  vault: Pick<Vault, 'sealOutside' | 'openOutside'>;
};

/** Ids are looked for in the database an entry at a time. */
export const MAX_IDS_OF_ENTRY = 100;
/** Older backups than this bring back what was erased. */
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

/** The sealed entries since a moment, oldest day first. A place that does not answer is an error: nothing is passed over. */
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

/** The first releases knew instances alone. */
type StoredEntry = { tenantId: string; kind: ErasedKind; ids: string[] } | { tenantId: string; instanceIds: string[] };

function parseEntry(text: string): Erased {
  const stored = JSON.parse(text) as StoredEntry;
  const tenantId = asTenantId(stored.tenantId);
  if ('instanceIds' in stored) return { tenantId, kind: 'instance', ids: stored.instanceIds };
  return { tenantId, kind: stored.kind, ids: stored.ids };
}

export const contextOf = (key: string) => `erased:${key}`;

/** A place for each day, so that a start looks at the last few days alone; they begin again long after they are emptied. */
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
