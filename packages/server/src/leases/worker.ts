import type { Db, Writes } from '../db/db.ts';
import { type Clock, MOST_APART_MS } from '../kernel/clock.ts';
import type { Tracing } from '../kernel/tracing.ts';
import { openClaims, type UnderLease } from './claims.ts';
import type { Leased, LeaseTable } from './lease-table.ts';
import type { QueueLog } from './log.ts';
import { openPoll } from './poll.ts';
import { openRepeated } from './repeated.ts';
import { openResults } from './results.ts';

/**
 * Works on a queue: claims items, runs a bounded number of them at once, renews their leases and writes the results in
 * batches. A server that dies leaves its items to another when their leases are over, so an item is run at least once.
 */
export type Worker = {
  start(): void;
  /** Called when an item may be due. */
  ring(): void;
  /** Gives back the items that have not begun. Running items have some seconds to end; then they are aborted. */
  stop(): Promise<void>;
  /** Runs due items until none is left, and returns their number. It may be called while the worker runs. */
  runDue(): Promise<number>;
  /** Renews the leases of all held items, so that no other server claims them. Also notices a clock that was set back. */
  extendLeases(): Promise<void>;
};

/** The differences between queues. */
export type QueuePolicy<Item extends Leased, Result> = {
  /** Names the items in the log. */
  readonly noun: string;
  readonly table: LeaseTable;
  /** How long a lease lasts. The items of a killed server wait that long for another server. */
  readonly leaseMs: number;
  /** The length of the lease of this item, where items differ. */
  leaseMsOf?(item: Item): number;
  /** The shortest lease of all items. Called when the queue starts. */
  shortestLeaseMs?(): number;
  /** How many items run at once. */
  readonly concurrency: number;
  /** Claims what is due, and no more than there is room for. Each transaction that claims is one call of `underLease`. */
  claim(items: Items<Item>, now: number, underLease: UnderLease): Promise<Claim<Item>>;
  /** Which of the waiting items begins next; undefined if the free places are kept for others. */
  chooseNext?(items: Items<Item>): number | undefined;
  /**
   * Never throws. The signal is aborted with `STOPPED`, or with `LEASE_LOST` if another server has the item now. An item
   * that waits for somebody else may leave its place to others meanwhile.
   */
  run(item: Item, abort: AbortController, leavePlace: LeavePlace): Promise<Result>;
  /** The result of an item that was claimed and not begun. */
  readonly notBegun: Result;
  /** Results of one group are written in one transaction. */
  groupOf(item: Item): string;
  settle(group: string, batch: readonly Finished<Item, Result>[]): Promise<void>;
  /** Called after the clock was set back. Items that the wrong clock put off too long become due; its leases are freed. */
  bringForward(tx: Writes, now: number): Promise<void>;
};

/** Frees the place of an item for others, until the returned function is called. */
export type LeavePlace = () => () => void;

/** `mayBeMore`: something else may be due that had no room. */
export type Claim<Item> = { readonly items: readonly Item[]; readonly mayBeMore: boolean };

/** `waiting`: claimed, not begun. `running`: begun, not ended. `size` also counts items whose results are not written yet. */
export type Items<Item> = {
  readonly waiting: readonly Item[];
  readonly running: readonly Item[];
  /** The running items that have not left their place. */
  readonly atWork: readonly Item[];
  readonly size: number;
};
export type Finished<Item, Result> = { readonly item: Item; readonly result: Result };

export type WorkerDeps = { db: Db; clock: Clock; log: QueueLog; stopWithinMs?: number | undefined };
/** The options of every queue. */
export type QueueOptions = WorkerDeps & {
  random?: () => number;
  leaseMs?: number;
  tracing?: Tracing | undefined;
  /** Tenants whose items wait. */
  suspended?(): Promise<ReadonlySet<string>>;
};

/** The reasons of a signal. */
export const STOPPED = new Error('the server stopped');
export const LEASE_LOST = new Error('the lease was lost');

const STOP_WITHIN_MS = 20_000;
/** Two renewals may fail before a lease is over. */
const RENEWALS_PER_LEASE = 3;

export function openWorker<Item extends Leased, Result>(deps: WorkerDeps, policy: QueuePolicy<Item, Result>): Worker {
  const { db, log, stopWithinMs = STOP_WITHIN_MS } = deps;
  const { table, noun, leaseMs } = policy;
  const items = openItems(deps, policy, () => poll.ring());
  const claimForPoll = async () => {
    const { items: claimed, mayBeMore } = await items.claim();
    return mayBeMore ? claimed.length : 0;
  };
  const poll = openPoll(claimForPoll, noun, log);
  const renewals = openRepeated(log);
  let freed: Promise<unknown> = Promise.resolve();
  /** The latest time that the clock has shown. Before the first look it is unknown. */
  let latest = Number.POSITIVE_INFINITY;
  const extendLeases = async () => {
    await items.extendLeases();
    const now = deps.clock.now();
    if (now < latest - MOST_APART_MS) {
      await db.aside.system.write((tx) => policy.bringForward(tx, now));
      latest = now;
      poll.ring();
    }
    latest = Math.max(latest, now);
  };
  return {
    ring: poll.ring,
    extendLeases,
    start() {
      const shortestMs = policy.shortestLeaseMs?.() ?? leaseMs;
      renewals.start(shortestMs / RENEWALS_PER_LEASE, extendLeases, `could not extend leases of ${noun}`);
      // An earlier server will not finish the items that it had claimed, so nobody waits for its leases.
      if (db.isSingleServer) freed = db.aside.system.write((tx) => table.freeAll(tx));
      freed
        .catch((error) => log.error({ err: error }, `could not free old leases of ${noun}; they will expire`))
        .then(poll.start);
    },
    async stop() {
      await freed.catch(() => undefined);
      items.close();
      await poll.stop();
      const cutOff = setTimeout(items.abortAll, stopWithinMs);
      await items.idle();
      clearTimeout(cutOff);
      await renewals.stop();
    },
    async runDue() {
      let total = 0;
      for (let isOver = false; !isOver; ) {
        const runs = items.runs();
        const { items: claimed } = await items.claim();
        await items.idle();
        total += claimed.length;
        // Items that the worker had claimed itself may also have added due items.
        isOver = claimed.length === 0 && items.runs() === runs;
      }
      return total;
    },
  };
}

/** Gives the item back if it could not begin, for example because the database is away. Faults of the item are results. */
async function runOrGiveBack<Item extends Leased, Result>(
  policy: QueuePolicy<Item, Result>,
  item: Item,
  { abort, leavePlace, log }: { abort: AbortController; leavePlace: LeavePlace; log: QueueLog },
): Promise<Result> {
  try {
    return await policy.run(item, abort, leavePlace);
  } catch (error) {
    log.error({ err: error }, `could not begin one of the ${policy.noun}`);
    return policy.notBegun;
  }
}

/** The items that this server holds. */
function openItems<Item extends Leased, Result>(
  { db, clock, log }: WorkerDeps,
  policy: QueuePolicy<Item, Result>,
  onRoom: () => void,
) {
  const claims = openClaims(db.aside.system, policy);
  let claimsUnderWay = 0;
  let mayBeMore = true;
  let closed = false;
  /** A server that has claimed all due items need not look again: whoever adds an item rings. */
  const tellOfRoom = () => {
    if (mayBeMore || claimsUnderWay > 0) onRoom();
  };

  const idle = openCondition(() => claimsUnderWay + waiting.length + running.size === 0 && results.isWritten);
  const onWritten = () => {
    tellOfRoom();
    idle.check();
  };
  const results = openResults<Finished<Item, Result>>({ log, noun: policy.noun, write: policy.settle, onWritten });
  const heldItems = (): Items<Item> => ({
    waiting,
    running: [...running.keys()],
    atWork: runs.atWork(),
    size: waiting.length + running.size + results.size,
  });
  const end = (item: Item, result: Result) => results.add(policy.groupOf(item), { item, result });
  const runs = openRuns({ policy, log, heldItems, end, onRoom: tellOfRoom });
  const { waiting, running } = runs;

  return {
    async claim(): Promise<Claim<Item>> {
      if (closed) return { items: [], mayBeMore: false };
      claimsUnderWay += 1;
      try {
        const now = clock.now();
        const claim = await policy.claim(heldItems(), now, await claims.begin(now));
        ({ mayBeMore } = claim);
        runs.add(claim.items);
        return claim;
      } finally {
        claimsUnderWay -= 1;
        idle.check();
      }
    },
    async extendLeases(): Promise<void> {
      const items = [...waiting, ...running.keys(), ...results.all().map(({ item }) => item)];
      if (items.length === 0) return;
      const still = await db.aside.system.write((tx) => extendEach(tx, policy, items, clock.now()));
      const lostItems = new Set(items.filter((item) => !still.has(item)));
      for (const [item, abort] of running) if (lostItems.has(item)) abort.abort(LEASE_LOST);
      waiting.splice(0, waiting.length, ...waiting.filter((item) => !lostItems.has(item)));
      idle.check();
    },
    /** Begins no more items, and gives back those that have not begun. */
    close() {
      closed = true;
      results.hurry();
      runs.close();
    },
    abortAll() {
      for (const abort of running.values()) abort.abort(STOPPED);
    },
    /** Resolves when no claim is under way and nothing is held: all has run and is written. */
    idle: idle.met,
    /** How many items have run here. Each may have added another item that is due. */
    runs: runs.count,
  };
}

/** Returns the items that this server still holds. */
async function extendEach<Item extends Leased, Result>(
  tx: Writes,
  { table, leaseMs, leaseMsOf = () => leaseMs }: QueuePolicy<Item, Result>,
  items: readonly Item[],
  now: number,
): Promise<Set<Item>> {
  const stillHeld = new Set<Item>();
  for (const [ms, group] of Map.groupBy(items, leaseMsOf)) {
    for (const item of await table.extend(tx, group, now + ms)) stillHeld.add(item);
  }
  return stillHeld;
}

type RunsDeps<Item extends Leased, Result> = {
  policy: QueuePolicy<Item, Result>;
  log: QueueLog;
  heldItems(): Items<Item>;
  end(item: Item, result: Result): void;
  onRoom(): void;
};

/** Runs a limited number of items at once; the others wait. */
function openRuns<Item extends Leased, Result>({ policy, log, heldItems, end, onRoom }: RunsDeps<Item, Result>) {
  const waiting: Item[] = [];
  const running = new Map<Item, AbortController>();
  const away = new Set<Item>();
  let count = 0;
  let closed = false;

  const begin = async (item: Item) => {
    const abort = new AbortController();
    running.set(item, abort);
    const leavePlace: LeavePlace = () => {
      away.add(item);
      beginWaiting();
      return () => void away.delete(item);
    };
    const result = await runOrGiveBack(policy, item, { abort, leavePlace, log });
    running.delete(item);
    count += 1;
    end(item, result);
    beginWaiting();
    onRoom();
  };
  const beginWaiting = () => {
    if (closed) for (const item of waiting.splice(0)) end(item, policy.notBegun);
    while (waiting.length > 0 && running.size - away.size < policy.concurrency) {
      const at = policy.chooseNext ? policy.chooseNext(heldItems()) : 0;
      if (at === undefined) return;
      const [item] = waiting.splice(at, 1);
      if (item) begin(item);
    }
  };
  return {
    waiting,
    running,
    count: () => count,
    atWork: () => [...running.keys()].filter((item) => !away.has(item)),
    add(items: readonly Item[]) {
      waiting.push(...items);
      beginWaiting();
    },
    close() {
      closed = true;
      beginWaiting();
    },
  };
}

function openCondition(isMet: () => boolean) {
  const waiting: (() => void)[] = [];
  return {
    /** Called whenever it may have become true. */
    check() {
      if (isMet()) for (const tell of waiting.splice(0)) tell();
    },
    met: () => (isMet() ? Promise.resolve() : new Promise<void>((done) => waiting.push(done))),
  };
}
