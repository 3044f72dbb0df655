import type { Db, TenantReads } from '../db/db.ts';
import { SECOND } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import type { Platform } from '../kernel/feature.ts';
import type { TenantId } from '../kernel/ids.ts';
import { openSessionsAmong, standingsOf } from './sessions.repository.ts';
import { nameOf, openWatchers, type WatchedJourney, type Watcher, type Watchers } from './watchers.ts';

/**
 * Notifies the watchers of journeys at this server. A change of this server notifies them at once, here and at the other
 * servers. Changes of other servers whose signal was lost are found by polling the state of the watched journeys.
 */
export type Live = {
  /** Called after the commit of a change to the journey. */
  changed(tenantId: TenantId, instanceId: string): void;
  /** Returns a function that ends the subscription. Refuses with 100007 if there are too many watchers. */
  subscribe(watcher: Watcher): () => void;
  /** The number of watchers. */
  readonly watching: number;
  /** Reads the state of the watched journeys, and notifies the watchers of changes. */
  poll(): Promise<void>;
  /** Sends a heartbeat to all watchers, and ends those whose session is over or whose tenant is suspended. */
  beat(): Promise<void>;
  /** Ends all watchers and refuses new ones. */
  stop(): void;
};

type LiveDeps = Pick<Platform, 'db' | 'clock' | 'suspended' | 'onError'>;

const BEAT_EVERY_MS = 15 * SECOND;
const POLL_EVERY_MS = 2 * SECOND;
/** Polls that are skipped while signals report every change of other servers. */
const POLLS_LEFT_OUT = 9;

export function openLive({ db, clock, suspended, onError }: LiveDeps): Live {
  const watchers = openWatchers();
  let stopped = false;

  const poll = async (): Promise<void> => {
    const tenants = Map.groupBy(watchers.journeys(), ({ tenantId }) => tenantId);
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

  const beat = heartbeat({ db, clock, suspended, onError }, watchers);

  const tellOf = (name: string) => {
    const journey = watchers.journeyOf(name);
    if (journey) tell(journey);
  };
  const pollInBackground = oneAtATime(poll, (error) => onError('could not read the watched journeys', error));
  const { listenIf, pollIfNeeded } = newsOfOthers(db, { tellOf, poll: pollInBackground });
  const beatInBackground = oneAtATime(beat, (error) => onError('could not send heartbeats', error));
  const keepTime = timekeeper([
    { call: beatInBackground, everyMs: BEAT_EVERY_MS },
    // Polling finds the changes of other servers whose signal was lost.
    ...(db.isSingleServer ? [] : [{ call: pollIfNeeded, everyMs: POLL_EVERY_MS }]),
  ]);

  return {
    poll,
    beat,
    get watching() {
      return watchers.size;
    },
    changed(tenantId, instanceId) {
      const name = nameOf(tenantId, instanceId);
      tellOf(name);
      db.signals.publish(name);
    },
    subscribe(watcher) {
      if (stopped) throw new ApiError(100010, { retryAfterSeconds: 5, detail: 'the server is stopping' });
      const remove = watchers.add(watcher);
      keepTime(true);
      listenIf(true);
      return () => {
        if (!remove()) return;
        keepTime(watchers.size > 0);
        listenIf(watchers.size > 0);
      };
    },
    stop() {
      stopped = true;
      for (const watcher of watchers.all()) watcher.end();
    },
  };
}

/** If sessions cannot be read, their watchers stay: before each notification the session is read again. */
function heartbeat({ db, clock, suspended, onError }: LiveDeps, watchers: Watchers): () => Promise<void> {
  const openSessionsIn = async (tenantId: TenantId, ids: readonly string[]): Promise<ReadonlySet<string>> => {
    if ((await suspended()).has(tenantId)) return new Set();
    return new Set(await openSessionsAmong(db.of(tenantId), ids, clock.now()));
  };
  return async () => {
    const tenants = Map.groupBy(watchers.all(), ({ tenantId }) => tenantId);
    for (const [tenantId, ofTenant] of tenants) {
      const ids = ofTenant.map(({ sessionId }) => sessionId);
      const open = await openSessionsIn(tenantId, ids).catch((error) => {
        onError('could not read the sessions of watched journeys', error);
        return new Set(ids);
      });
      for (const watcher of ofTenant) {
        if (open.has(watcher.sessionId)) watcher.beat();
        else watcher.end();
      }
    }
  };
}

/** Learns of changes at other servers by their signals, and by a poll now and then in case a signal was lost. */
function newsOfOthers({ signals }: Db, { tellOf, poll }: { tellOf(name: string): void; poll(): void }) {
  let leftOut = 0;
  let stopListening: (() => void) | undefined;
  return {
    pollIfNeeded() {
      const isNeeded = !signals.isComplete || leftOut >= POLLS_LEFT_OUT;
      leftOut = isNeeded ? 0 : leftOut + 1;
      if (isNeeded) poll();
    },
    listenIf(isWanted: boolean) {
      if (isWanted) {
        stopListening ??= signals.listen((name) => {
          if (name === undefined) leftOut = POLLS_LEFT_OUT;
          else tellOf(name);
        });
      } else {
        stopListening?.();
        stopListening = undefined;
      }
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

function tell({ watchers }: WatchedJourney): void {
  for (const watcher of [...watchers]) watcher.changed();
}

/** The state of each journey and of its devices as a text: if it is the same, nothing has changed. */
async function fingerprints(db: TenantReads, journeys: readonly WatchedJourney[]): Promise<Map<string, string>> {
  const prints = new Map<string, string>();
  const ids = journeys.map(({ instanceId }) => instanceId);
  for (const { instance_id, id, state, revision, messages } of await standingsOf(db, { instanceIds: ids })) {
    prints.set(instance_id, `${prints.get(instance_id) ?? `${revision} ${messages}`} ${id} ${state}`);
  }
  return prints;
}
