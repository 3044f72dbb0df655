import { ApiError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';

/** The watchers of journeys at this server. */
export type Watchers = {
  readonly size: number;
  all(): Watcher[];
  journeys(): Iterable<WatchedJourney>;
  journeyOf(name: string): WatchedJourney | undefined;
  /** Refuses with 100007 if there are too many. Returns a function that removes the watcher, or returns false if it is gone. */
  add(watcher: Watcher): () => boolean;
};

export type Watcher = {
  readonly tenantId: TenantId;
  readonly instanceId: string;
  readonly sessionId: string;
  changed(): void;
  beat(): void;
  end(): void;
};

/** The watchers of one journey, and the fingerprint of its last known state. */
export type WatchedJourney = {
  readonly tenantId: TenantId;
  readonly instanceId: string;
  readonly watchers: Set<Watcher>;
  seen: string | undefined;
};

export const MAX_WATCHERS_PER_SESSION = 5;
export const MAX_WATCHERS = 2000;

export function openWatchers(): Watchers {
  const journeys = new Map<string, WatchedJourney>();
  const all = new Set<Watcher>();
  const ofTenants = new Map<TenantId, number>();
  return {
    get size() {
      return all.size;
    },
    all: () => [...all],
    journeys: () => journeys.values(),
    journeyOf: (name) => journeys.get(name),
    add(watcher) {
      const { tenantId, instanceId, sessionId } = watcher;
      const name = nameOf(tenantId, instanceId);
      const journey = journeys.get(name) ?? { tenantId, instanceId, watchers: new Set(), seen: undefined };
      const own = [...journey.watchers].filter((each) => each.sessionId === sessionId);
      const ofTenant = ofTenants.get(tenantId) ?? 0;
      // A tenant may have as many watchers as it leaves free: the first gets half of them, the next half of the rest.
      if (own.length >= MAX_WATCHERS_PER_SESSION || ofTenant >= MAX_WATCHERS - all.size) {
        throw new ApiError(100007, { retryAfterSeconds: 5, detail: 'too many connections watch journeys' });
      }
      journeys.set(name, journey);
      journey.watchers.add(watcher);
      all.add(watcher);
      ofTenants.set(tenantId, ofTenant + 1);
      return () => {
        if (!all.delete(watcher)) return false;
        const remaining = (ofTenants.get(tenantId) ?? 1) - 1;
        if (remaining > 0) ofTenants.set(tenantId, remaining);
        else ofTenants.delete(tenantId);
        journey.watchers.delete(watcher);
        // A new entry may have taken the name since.
        if (journey.watchers.size === 0 && journeys.get(name) === journey) journeys.delete(name);
        return true;
      };
    },
  };
}

export function nameOf(tenantId: TenantId, instanceId: string): string {
  return `${tenantId} ${instanceId}`;
}
