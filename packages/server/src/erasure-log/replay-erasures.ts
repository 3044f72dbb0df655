import type { Db, TenantDb, TenantReads } from '../db/db.ts';
import { type Clock, DAY, HOUR, MOST_APART_MS } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { erasuresKnownUntil, setErasuresKnown } from './erasure-marks.repository.ts';
import type { ErasedKind, LogEntries, Unreadable } from './log-entries.ts';

/** A kind of objects that a restored backup can bring back. The feature that owns them deletes them again. */
export type Erasable = {
  readonly kind: ErasedKind;
  /** The creation time of the oldest remaining object. */
  oldest(db: TenantReads): Promise<number | undefined>;
  /** Deletes the objects that exist again, as every other deletion does. Resolves to their number. */
  eraseAgain(db: TenantDb, ids: readonly string[], at: number): Promise<number>;
};

export type ReplayDeps = {
  db: Db;
  clock: Clock;
  entries: Pick<LogEntries, 'since' | 'forget'>;
  /** Complete before the first replay. */
  erasables: readonly Erasable[];
  everyTenantId(): AsyncIterable<TenantId>;
};

/** Entries that cannot be read. The persons in them may have come back with a backup, and nobody can tell. */
export class UnreadableEntries extends Error {
  readonly entries: readonly Unreadable[];

  constructor(entries: readonly Unreadable[], count: number) {
    const first = entries.map(({ unreadable, reason }) => `${unreadable} (${reason})`).join(', ');
    super(`${count} ${count === 1 ? 'entry' : 'entries'} of the list of what was erased cannot be read: ${first}`);
    this.name = 'UnreadableEntries';
    this.entries = entries;
  }
}

const MAX_SHOWN_ENTRIES = 5;

/**
 * Deletes erased objects that exist again, and returns their number. Rejects with `UnreadableEntries` after everything
 * else is done; the stored moment then stays, so that a later pass reads these entries again.
 */
export type ReplayErasures = (signal: AbortSignal) => Promise<number>;

/** The actor that audit events of a repeated deletion name. */
export const REPLAYED_BY = 'Erasure before a restore';

/** The moment is stored no more often than this. */
const STORED_EVERY_MS = 12 * HOUR;
/**
 * Entries are removed only if the last stored moment is newer than this: to a clock that jumped ahead, all entries look
 * old.
 */
const MAX_MOMENT_AGE_MS = 2 * DAY;

/**
 * Each tenant stores the moment until which it is complete: all erasures in the log before that moment are done in this
 * database. A restored database has an earlier moment, and repeats the erasures since then.
 */
export function erasureReplay({ db, clock, entries, erasables, everyTenantId }: ReplayDeps): ReplayErasures {
  const marks = async (now: number) => {
    const behind: TenantId[] = [];
    let from: number | undefined;
    let newest = 0;
    for await (const tenantId of everyTenantId()) {
      const storedMoment = (await erasuresKnownUntil(db.of(tenantId))) ?? 0;
      // A moment in the future was stored by a wrong clock, and does not count.
      const knownUntil = storedMoment === 0 || storedMoment > now + MOST_APART_MS ? undefined : storedMoment;
      newest = Math.max(newest, knownUntil ?? 0);
      // Without a stored moment: objects cannot have been erased before they were created.
      const since = knownUntil ?? (await oldestOf(db.of(tenantId), erasables));
      if (since === undefined) continue;
      from = Math.min(from ?? now, since);
      if ((knownUntil ?? 0) < now - STORED_EVERY_MS) behind.push(tenantId);
    }
    return { behind, from, mayForget: newest > now - MAX_MOMENT_AGE_MS };
  };

  return async (signal) => {
    const now = clock.now();
    const { behind, from, mayForget } = await marks(now);
    if (from === undefined) return 0;
    const byKind = new Map(erasables.map((each) => [each.kind, each]));
    let erased = 0;
    let unreadable = 0;
    const firstUnreadable: Unreadable[] = [];
    for await (const entry of entries.since(from, now)) {
      signal.throwIfAborted();
      if ('unreadable' in entry) {
        if (unreadable++ < MAX_SHOWN_ENTRIES) firstUnreadable.push(entry);
        continue;
      }
      const { tenantId, kind, ids } = entry;
      // A newer release may have written kinds that this one does not know.
      erased += (await byKind.get(kind)?.eraseAgain(db.of(tenantId), ids, now)) ?? 0;
    }
    if (unreadable > 0) throw new UnreadableEntries(firstUnreadable, unreadable);
    for (const tenantId of behind) await db.of(tenantId).write((tx) => setErasuresKnown(tx, now));
    if (behind.length > 0 && mayForget) await entries.forget(now);
    return erased;
  };
}

async function oldestOf(db: TenantReads, erasables: readonly Erasable[]): Promise<number | undefined> {
  const moments: number[] = [];
  for (const each of erasables) {
    const at = await each.oldest(db);
    if (at !== undefined) moments.push(at);
  }
  return moments.length > 0 ? Math.min(...moments) : undefined;
}

const WITHIN_MS = 20_000;

export type CatchUp = {
  signal: AbortSignal;
  /** Continues with unreadable entries, and logs them. */
  force: boolean;
  onError(what: string, error: unknown): void;
};

/**
 * Waits for the replay, for a limited time: a store that does not answer must not keep the server from starting, and
 * the nightly job runs it again. Unreadable entries do keep the server from starting, because somebody who was erased
 * would be shown again.
 */
export async function catchUp(replay: ReplayErasures, { signal, force, onError }: CatchUp): Promise<void> {
  let isLate = false;
  const failed = (error: unknown) => {
    if (error instanceof UnreadableEntries && !force && !isLate) throw error;
    if (!signal.aborted) onError('could not look for erasures after a backup; the next run at midnight will', error);
  };
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    isLate = true;
    timeout.resolve();
  }, WITHIN_MS);
  try {
    await Promise.race([replay(signal).then(() => undefined, failed), timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
