import { type Line, lineOf } from '../../kernel/take-turns.ts';
import { countUnderWay, type UnderWay } from '../../kernel/under-way.ts';

/**
 * Lends the connections of a pool to tenants. Whoever waits for a lock keeps a connection meanwhile, so a hundred changes of
 * one object would take all of them, and every other tenant would wait for their end. So a free place goes to the tenant
 * that holds the fewest, in the order of arrival, and a tenant always leaves a place to others. The same is true of the
 * lines of one tenant: a test key leaves places to live callers.
 */
export type Places = {
  /** Resolves with what gives the place back. Rejects if none was free in time. */
  take(user: User): Promise<() => void>;
  readonly waiting: number;
};

export type User = {
  readonly tenant: string;
  /** Which of its callers; those of one line wait behind each other. */
  readonly line?: Line | undefined;
};

export type PlacesOptions = {
  readonly count: number;
  readonly timeoutMs: number;
  /** Why nobody was served in time. */
  fault(): Error;
};

type Begin = (release: () => void) => void;
type Queue = { readonly user: User; readonly waiters: Begin[] };

/** What belongs to no tenant: it may take every place. */
const NO_TENANT = '';
/** Fewer places than these are not divided: whoever is alone needs them. */
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

/** Who waits, in the order of arrival, and who of them comes next. */
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
    /** The next of those whose tenant holds the fewest places, and of those of one tenant, whose line does. */
    shift(): { user: User; begin: Begin } | undefined {
      let next: Queue | undefined;
      for (const queue of queues.values()) {
        if (mayTake(queue.user) && (!next || compare(queue.user, next.user) < 0)) next = queue;
      }
      const begin = next?.waiters.shift();
      if (!next || !begin) return undefined;
      size -= 1;
      queues.delete(lineNameOf(next.user));
      // Whoever had a turn comes last among equals.
      if (next.waiters.length > 0) queues.set(lineNameOf(next.user), next);
      return { user: next.user, begin };
    },
  };
}

export function lineNameOf({ tenant, line }: User): string {
  return lineOf(tenant, line);
}
