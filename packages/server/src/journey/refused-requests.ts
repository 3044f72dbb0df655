import { type Db, DbError } from '../db/db.ts';
import { BlobError } from '../engines/blobs/blobs.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { JourneyDeps } from './journey-deps.ts';

/**
 * Requests of journeys that this server refused because the database or the bucket was away. A challenge that expired
 * meanwhile does not count against the end user. While the database is away, the requests are cached here.
 */
export type RefusedRequests = {
  /** Caches the request if the error is an outage. It is saved at once if only the bucket is away. */
  note(journey: JourneyKey, at: number, error: unknown): Promise<void>;
  /** Called when the database answers again: saves the cached request of this journey, and begins to save the others. */
  save(journey: JourneyKey): Promise<void>;
};

export type JourneyKey = { readonly tenantId: TenantId; readonly instanceId: string };
type RefusedRequest = JourneyKey & { readonly at: number };

/** The highest number of journeys that one server caches during an outage. */
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
      onError('could not save a refused request', error);
    }
    unsaved.delete(key);
  };
  /** Saves one request after another. If the database is away again, the next request tries again. */
  const saveOthers = async () => {
    if (isSaving) return;
    isSaving = true;
    try {
      for (const key of [...unsaved.keys()]) await saveOne(key);
    } catch {
      // The rest stays cached.
    } finally {
      isSaving = false;
    }
  };

  return {
    async note(journey, at, error) {
      if (!isOutage(error)) return;
      const key = keyOf(journey);
      // The first moment stays, because then the open instruction could not be answered.
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

/** Whether the error is an outage that no end user can cause. A busy server is not an outage. */
function isOutage(error: unknown): boolean {
  return (error instanceof DbError || error instanceof BlobError) && error.fault === 'unavailable';
}
