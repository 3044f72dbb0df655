import { type Line, lineOf } from '../../kernel/take-turns.ts';
import { countUnderWay, type UnderWay } from '../../kernel/under-way.ts';

/**
 * Ensures that no tenant takes all connections of a pool. A transaction that waits for a lock keeps its connection, so a
 * hundred changes of one object would block every other tenant. A free place goes to the tenant that holds the fewest, in
 * the order of arrival, and a tenant always leaves a place to others. The lines of a tenant share in the same way: a test
 * key leaves places to live callers.
 */
export type Places = {
  /** Resolves to the function that gives the place back. Rejects if no place was free in time. */
  take(user: User): Promise<() => void>;
  readonly waiting: number;
};

export type User = {
  readonly tenant: string;
  /** The group of callers; those of one line wait behind each other. */
  readonly line?: Line | undefined;
};

export type PlacesOptions = {
  readonly count: number;
  readonly timeoutMs: number;
  /** The error if no place was free in time. */
  fault(): Error;
};

type Begin = (release: () => void) => void;
type Queue = { readonly user: User; readonly waiters: Begin[] };

/** Work that belongs to no tenant may take every place. */
const NO_TENANT = '';
/** Fewer places than these are not divided. */
const MIN_DIVIDED = 4;

export function fairPlaces({ count, timeoutMs, fault }: PlacesOptions): Places {
  const inUse = countUnderWay();
  const queues = openQueues(inUse, count);
  let free = count;

  const lend = (user: User): (() => void) => {
    free -= 1;
    const leave = inUse.enter(user.tenant, lineNameOf(user));
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
      free += 1;
      leave();
      for (let next = free > 0 && queues.shift(); next; next = free > 0 && queues.shift()) next.begin(lend(next.user));
    };
  };

  const wait = (user: User): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const begin: Begin = (release) => {
        clearTimeout(timer);
        resolve(release);
      };
      const timer = setTimeout(() => {
        queues.remove(user, begin);
        reject(fault());
      }, timeoutMs);
      queues.push(user, begin);
    });

  return {
    get waiting() {
      return queues.size;
    },
    async take(user) {
      return free > 0 && queues.mayTake(user) ? lend(user) : wait(user);
    },
  };
}

/** The waiting callers in the order of arrival, and the choice of the next one. */
function openQueues(inUse: UnderWay, count: number) {
  const queues = new Map<string, Queue>();
  let size = 0;

  const mayTake = (user: User) =>
    count < MIN_DIVIDED ||
    user.tenant === NO_TENANT ||
    (inUse.count(user.tenant) < count - 1 && (user.line !== 'test' || inUse.count(lineNameOf(user)) < count - 2));
  /** Less than zero if the first comes before the second. */
  const compare = (one: User, other: User) =>
    inUse.count(one.tenant) - inUse.count(other.tenant) ||
    inUse.count(lineNameOf(one)) - inUse.count(lineNameOf(other));

  return {
    get size() {
      return size;
    },
    mayTake,
    push(user: User, begin: Begin) {
      const queue = queues.get(lineNameOf(user)) ?? { user, waiters: [] };
      queues.set(lineNameOf(user), queue);
      queue.waiters.push(begin);
      size += 1;
    },
    remove(user: User, begin: Begin) {
      const queue = queues.get(lineNameOf(user));
      const at = queue?.waiters.indexOf(begin) ?? -1;
      if (!queue || at < 0) return;
      queue.waiters.splice(at, 1);
      if (queue.waiters.length === 0) queues.delete(lineNameOf(user));
      size -= 1;
    },
    /** Removes the next caller: the tenant with the fewest places, and within it the line with the fewest, comes first. */
    shift(): { user: User; begin: Begin } | undefined {
      let next: Queue | undefined;
      for (const queue of queues.values()) {
        if (mayTake(queue.user) && (!next || compare(queue.user, next.user) < 0)) next = queue;
      }
      const begin = next?.waiters.shift();
      if (!next || !begin) return undefined;
      size -= 1;
      queues.delete(lineNameOf(next.user));
      // A line that had a turn comes last among equals.
      if (next.waiters.length > 0) queues.set(lineNameOf(next.user), next);
      return { user: next.user, begin };
    },
  };
}

export function lineNameOf({ tenant, line }: User): string {
  return lineOf(tenant, line);
}
