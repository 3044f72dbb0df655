import type { Db, TenantDb, TenantReads } from '../db/db.ts';
import { type Clock, DAY, HOUR, MOST_APART_MS } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { erasuresKnownUntil, setErasuresKnown } from './erasure-marks.repository.ts';
import type { ErasedKind, LogEntries, Unreadable } from './log-entries.ts';

/** What an older copy of the database would bring back, as the feature whose it is knows it. */
export type Erasable = {
  readonly kind: ErasedKind;
  /** When the first of them was made that is still there. */
  oldest(db: TenantReads): Promise<number | undefined>;
  /** Deletes those that are there, as every deletion goes, and says how many that were. */
  eraseAgain(db: TenantDb, ids: readonly string[], at: number): Promise<number>;
};

export type ReplayDeps = {
  db: Db;
  clock: Clock;
  entries: Pick<LogEntries, 'since' | 'forget'>;
  /** All of them are registered before the first replay. */
  erasables: readonly Erasable[];
  everyTenantId(): AsyncIterable<TenantId>;
};

/** Entries that cannot be read: whoever they name may have come back with a backup, and nobody can tell. */
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
 * Deletes again what was erased and is there all the same, and says how many that were. Rejects with `UnreadableEntries`
 * when everything else is done; then the database keeps its moment, so that a later pass reads these entries again.
 */
export type ReplayErasures = (signal: AbortSignal) => Promise<number>;

/** The actor that audit events of a repeated deletion name. */
export const REPLAYED_BY = 'Erasure before a restore';

/** The moment is stored at most this often. */
const NOTED_EVERY_MS = 12 * HOUR;
/** Entries are forgotten only if the last note is no older: a clock that jumped ahead makes all of them look old. */
const NOTED_LATELY_MS = 2 * DAY;

/**
 * A database knows until when it is complete: everything that the log holds from before that moment it has erased itself,
 * or by this. One that was put back from a backup knows an earlier moment, and from there on it is caught up.
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
      // Where no moment is known yet: what is there cannot have been erased before it was made.
      const since = knownUntil ?? (await oldestOf(db.of(tenantId), erasables));
      if (since === undefined) continue;
      from = Math.min(from ?? now, since);
      if ((knownUntil ?? 0) < now - NOTED_EVERY_MS) behind.push(tenantId);
    }
    return { behind, from, mayForget: newest > now - NOTED_LATELY_MS };
  };

  return async (signal) => {
    const now = clock.now();
    const { behind, from, mayForget } = await marks(now);
    if (from === undefined) return 0;
    const of = new Map(erasables.map((each) => [each.kind, each]));
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
      // A release that is newer than this one may have written down what this one does not know.
      erased += (await of.get(kind)?.eraseAgain(db.of(tenantId), ids, now)) ?? 0;
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
  /** Goes on where entries cannot be read, and logs them. */
  force: boolean;
  onError(what: string, error: unknown): void;
};

/**
 * A store that does not answer must not keep the server from starting for ever: then it goes on, and the nightly job.
 * Entries that cannot be read do keep it from starting: somebody who was erased would be shown again.
 */
export async function catchUp(replay: ReplayErasures, { signal, force, onError }: CatchUp): Promise<void> {
  let late = false;
  const failed = (error: unknown) => {
    if (error instanceof UnreadableEntries && !force && !late) throw error;
    if (!signal.aborted) onError('could not look for erasures after a backup; the next run at midnight will', error);
  };
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    late = true;
    timeout.resolve();
  }, WITHIN_MS);
  try {
    await Promise.race([replay(signal).then(() => undefined, failed), timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
