import { type Blobs, SHARDS } from '../../engines/blobs/blobs.ts';
import { dayOf } from '../../kernel/clock.ts';
import { asTenantId, newId, type TenantId } from '../../kernel/ids.ts';
import type { Vault } from '../../secrets/vault.ts';

/**
 * Which instances were erased, kept beside the blobs: whoever puts an older copy of the database in place would bring them
 * back, and nothing in that copy could tell. An entry holds ids and nothing of a person. It is sealed by the master key,
 * which is no part of the database either, so nobody else can have an instance deleted by adding one.
 */
export type ErasureLog = {
  /** Durable when it resolves. */
  note(erased: Erased, at: number): Promise<void>;
  /** What was noted since then, and perhaps a little of what was noted before. */
  since(at: number, now: number): AsyncGenerator<Erased>;
  /** Removes what no backup can need any more. */
  forget(now: number): Promise<void>;
};

export type Erased = { readonly tenantId: TenantId; readonly instanceIds: readonly string[] };

export type ErasureLogDeps = {
  entries: Pick<Blobs, 'put' | 'get' | 'list' | 'delete'>;
  vault: Pick<Vault, 'sealOutside' | 'openOutside'>;
  onError(what: string, error: unknown): void;
};

/** Older backups than this bring erased instances back. */
export const LOG_KEPT_DAYS = 400;
/** Servers whose clocks differ, and days that end while something is noted. */
const SLACK_DAYS = 2;
/** In case that a server did not run for a while. */
const FORGOTTEN_AT_ONCE_DAYS = 30;
const MAX_ENTRY_BYTES = 64 * 1024;

export function erasureLog({ entries, vault, onError }: ErasureLogDeps): ErasureLog {
  const open = async (key: string): Promise<Erased | undefined> => {
    try {
      const { tenantId, instanceIds } = JSON.parse(
        vault.openOutside(contextOf(key), await contentOf(entries, key)).toString('utf8'),
      ) as Erased;
      return { tenantId: asTenantId(tenantId), instanceIds };
    } catch (error) {
      onError(`an entry of the list of erased instances cannot be read: ${key}`, error);
      return undefined;
    }
  };

  return {
    async note(erased, at) {
      const key = newId(at).slice(0, -2) + shardOfDay(dayOf(at));
      await entries.put(key, vault.sealOutside(contextOf(key), Buffer.from(JSON.stringify(erased))));
    },
    async *since(at, now) {
      const last = dayOf(now) + SLACK_DAYS;
      for (let day = Math.max(dayOf(at), dayOf(now) - LOG_KEPT_DAYS) - SLACK_DAYS; day <= last; day++) {
        for await (const { key } of entries.list(shardOfDay(day))) {
          const erased = key === undefined ? undefined : await open(key);
          if (erased) yield erased;
        }
      }
    },
    async forget(now) {
      const last = dayOf(now) - LOG_KEPT_DAYS - SLACK_DAYS - 1;
      for (let day = last - FORGOTTEN_AT_ONCE_DAYS; day <= last; day++) {
        for await (const { remove } of entries.list(shardOfDay(day))) await remove();
      }
    },
  };
}

const contextOf = (key: string) => `erased:${key}`;

/** A place for each day, so that a start looks at the last few days alone; they begin again long after they are emptied. */
const shardOfDay = (day: number) => SHARDS[(day + SHARDS.length) % SHARDS.length] as string;

async function contentOf(entries: Pick<Blobs, 'get'>, key: string): Promise<Uint8Array> {
  const entry = await entries.get(key);
  try {
    return Buffer.from(await entry.read(MAX_ENTRY_BYTES));
  } finally {
    await entry.close();
  }
}
