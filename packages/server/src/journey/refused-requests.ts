import { type Db, DbError } from '../db/db.ts';
import { BlobError } from '../engines/blobs/blobs.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { JourneyDeps } from './journey-deps.ts';

/**
 * Requests of journeys that this server refused because the database or the bucket was away. A challenge that ran out of
 * time meanwhile does not count against the end user. While the database is away, they are remembered here.
 */
export type RefusedRequests = {
  /** Remembers the journey if the error is an outage. What the bucket refused is saved at once. */
  note(journey: JourneyKey, at: number, error: unknown): Promise<void>;
  /** The database answered a request of this journey: saves what is remembered of it, and begins to save the others. */
  save(journey: JourneyKey): Promise<void>;
};

export type JourneyKey = { readonly tenantId: TenantId; readonly instanceId: string };
type RefusedRequest = JourneyKey & { readonly at: number };

/** Journeys under way at one server. During an outage, more of them are not remembered. */
export const MAX_REFUSED_JOURNEYS = 2000;

export type RefusedRequestsDeps = {
  db: Pick<Db, 'of'>;
  onError: JourneyDeps['onError'];
  processes: {
    drive: Pick<JourneyDeps['processes']['drive'], 'look'>;
    challenges: Pick<JourneyDeps['processes']['challenges'], 'noteRefusal'>;
  };
};

export function openRefusedRequests({ db, processes, onError }: RefusedRequestsDeps): RefusedRequests {
  const unsaved = new Map<string, RefusedRequest>();
  let isSaving = false;
  const saveOne = async (key: string) => {
    const request = unsaved.get(key);
    if (!request) return;
    const { tenantId, instanceId, at } = request;
    const tenant = db.of(tenantId);
    try {
      const snapshot = await processes.drive.look(tenant, instanceId);
      if (snapshot) await tenant.write((tx) => processes.challenges.noteRefusal(tx, snapshot.instance.id, at));
    } catch (error) {
      if (isOutage(error)) throw error;
      onError('could not note a refused request', error);
    }
    unsaved.delete(key);
  };
  /** One after another. If the database is away again, the next request tries again. */
  const saveOthers = async () => {
    if (isSaving) return;
    isSaving = true;
    try {
      for (const key of [...unsaved.keys()]) await saveOne(key);
    } catch {
      // They stay remembered.
    } finally {
      isSaving = false;
    }
  };

  return {
    async note(journey, at, error) {
      if (!isOutage(error)) return;
      const key = keyOf(journey);
      // The first moment is kept: it is the one in which the open instruction could not be answered.
      if (!unsaved.has(key) && unsaved.size < MAX_REFUSED_JOURNEYS) unsaved.set(key, { ...journey, at });
      if (error instanceof BlobError) await saveOne(key).catch(() => undefined);
    },
    async save(journey) {
      if (unsaved.size === 0) return;
      await saveOne(keyOf(journey));
      saveOthers();
    },
  };
}

const keyOf = ({ tenantId, instanceId }: JourneyKey) => `${tenantId}/${instanceId}`;

/** Only what no end user can cause. A server that has too much to do is no outage. */
function isOutage(error: unknown): boolean {
  return (error instanceof DbError || error instanceof BlobError) && error.fault === 'unavailable';
}
