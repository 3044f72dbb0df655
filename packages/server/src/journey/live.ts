import type { Db, TenantReads } from '../db/db.ts';
import { SECOND } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { standingsOf } from './sessions.repository.ts';

/**
 * Who watches which journey from this server, and the news for them. What this server changes it tells at once, here and to
 * the other servers. What a signal of theirs did not tell is found by reading how far the watched journeys have come.
 */
export type Live = {
  /** Something about the journey has changed, and is committed. */
  changed(tenantId: TenantId, instanceId: string): void;
  /** Returns a function that ends the subscription; refuses with 100007 when too many watch. */
  subscribe(watcher: Watcher): () => void;
  /** How many watch. */
  readonly watching: number;
  /** Reads how far the watched journeys have come. */
  poll(): Promise<void>;
  /** Sends a heartbeat to all watchers. */
  beat(): void;
  /** Ends everything that watches, and lets nothing new begin. */
  stop(): void;
};

export type Watcher = {
  readonly tenantId: TenantId;
  readonly instanceId: string;
  readonly sessionId: string;
  changed(): void;
  beat(): void;
  end(): void;
};

type LiveDeps = {
  db: Db;
  onError(what: string, error: unknown): void;
};

export const MAX_WATCHERS_PER_SESSION = 5;
export const MAX_WATCHERS = 2000;
const BEAT_EVERY_MS = 15 * SECOND;
const POLL_EVERY_MS = 2 * SECOND;
/** Polls that are skipped while signals report every change of other servers. */
const POLLS_LEFT_OUT = 9;

/** The watchers of one journey, and how far it had come when it was last read. */
type Watched = { tenantId: TenantId; instanceId: string; watchers: Set<Watcher>; seen: string | undefined };

export function openLive({ db, onError }: LiveDeps): Live {
  const watched = new Map<string, Watched>();
  const all = new Set<Watcher>();
  const ofTenants = new Map<TenantId, number>();
  let stopped = false;

  const poll = async (): Promise<void> => {
    const tenants = Map.groupBy(watched.values(), ({ tenantId }) => tenantId);
    for (const [tenantId, journeys] of tenants) {
      const current = await fingerprints(db.of(tenantId), journeys);
      for (const journey of journeys) {
        const now = current.get(journey.instanceId) ?? 'gone';
        // Notify on the first poll as well: the client's last read may be older than it.
        if (journey.seen !== now) tell(journey);
        journey.seen = now;
      }
    }
  };

  const beat = () => {
    for (const watcher of [...all]) watcher.beat();
  };

  const pollInBackground = oneAtATime(poll, (error) => onError('could not read the watched journeys', error));
  let leftOut = 0;
  const pollIfNeeded = () => {
    if (db.signals.isComplete && leftOut < POLLS_LEFT_OUT) {
      leftOut += 1;
      return;
    }
    leftOut = 0;
    pollInBackground();
  };
  const keepTime = timekeeper([
    { call: beat, everyMs: BEAT_EVERY_MS },
    // Changes of another server that no signal told of are found by polling.
    ...(db.isSingleServer ? [] : [{ call: pollIfNeeded, everyMs: POLL_EVERY_MS }]),
  ]);

  const tellOf = (name: string) => {
    const journey = watched.get(name);
    if (journey) tell(journey);
  };
  let stopListening: (() => void) | undefined;
  const listenIf = (isWanted: boolean) => {
    if (isWanted) {
      stopListening ??= db.signals.listen((name) => {
        if (name === undefined) leftOut = POLLS_LEFT_OUT;
        else tellOf(name);
      });
    } else {
      stopListening?.();
      stopListening = undefined;
    }
  };

  return {
    poll,
    beat,
    get watching() {
      return all.size;
    },
    changed(tenantId, instanceId) {
      const name = nameOf(tenantId, instanceId);
      tellOf(name);
      db.signals.publish(name);
    },
    subscribe(watcher) {
      if (stopped) throw new ApiError(100010, { retryAfterSeconds: 5, detail: 'the server is stopping' });
      const { tenantId, instanceId, sessionId } = watcher;
      const name = nameOf(tenantId, instanceId);
      const journey = watched.get(name) ?? { tenantId, instanceId, watchers: new Set(), seen: undefined };
      const own = [...journey.watchers].filter((each) => each.sessionId === sessionId);
      const ofTenant = ofTenants.get(tenantId) ?? 0;
      // A tenant may have as many as it leaves free: the first half of all, the next half of the rest.
      if (own.length >= MAX_WATCHERS_PER_SESSION || ofTenant >= MAX_WATCHERS - all.size) {
        throw new ApiError(100007, { retryAfterSeconds: 5, detail: 'too many connections watch journeys' });
      }
      watched.set(name, journey);
      journey.watchers.add(watcher);
      all.add(watcher);
      ofTenants.set(tenantId, ofTenant + 1);
      keepTime(true);
      listenIf(true);
      return () => {
        if (!all.delete(watcher)) return;
        const remaining = (ofTenants.get(tenantId) ?? 1) - 1;
        if (remaining > 0) ofTenants.set(tenantId, remaining);
        else ofTenants.delete(tenantId);
        journey.watchers.delete(watcher);
        // A new entry may have taken the name since.
        if (journey.watchers.size === 0 && watched.get(name) === journey) watched.delete(name);
        keepTime(all.size > 0);
        listenIf(all.size > 0);
      };
    },
    stop() {
      stopped = true;
      for (const watcher of [...all]) watcher.end();
    },
  };
}

/** Starts the timers when they are wanted and stops them when they are not. */
function timekeeper(calls: readonly { call(): void; everyMs: number }[]): (isWanted: boolean) => void {
  let timers: NodeJS.Timeout[] = [];
  return (isWanted) => {
    if (isWanted === timers.length > 0) return;
    for (const timer of timers) clearInterval(timer);
    timers = isWanted ? calls.map(({ call, everyMs }) => setInterval(call, everyMs).unref()) : [];
  };
}

/** Skips a call while the previous one is still running. */
function oneAtATime(work: () => Promise<void>, fail: (error: unknown) => void): () => void {
  let busy = false;
  return () => {
    if (busy) return;
    busy = true;
    work()
      .catch(fail)
      .finally(() => {
        busy = false;
      });
  };
}

function tell({ watchers }: Watched): void {
  for (const watcher of [...watchers]) watcher.changed();
}

function nameOf(tenantId: TenantId, instanceId: string): string {
  return `${tenantId} ${instanceId}`;
}

/** How far each journey has come, and which of its devices does what: when this is the same, there is no news. */
async function fingerprints(db: TenantReads, journeys: readonly Watched[]): Promise<Map<string, string>> {
  const prints = new Map<string, string>();
  const ids = journeys.map(({ instanceId }) => instanceId);
  for (const { instance_id, id, state, revision, messages } of await standingsOf(db, ids)) {
    prints.set(instance_id, `${prints.get(instance_id) ?? `${revision} ${messages}`} ${id} ${state}`);
  }
  return prints;
}
