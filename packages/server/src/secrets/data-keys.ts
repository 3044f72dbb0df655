import type { KeyObject } from 'node:crypto';
import type { TenantReads, TenantTx } from '../db/db.ts';
import { boundedMap } from '../kernel/bounded-map.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { contextOf, keyFrom, newKey, randomnessOf, seal, sealedBy, unseal } from './sealing.ts';
import { destroyDataKeys, ensureDataKey, findDataKey } from './secrets.repository.ts';
import type { TenantKeys } from './tenant-keys.ts';

/** The data keys of subjects. A key of the tenant seals them, and they seal data. */
export type DataKeys = {
  /**
   * Unseals a data key. The caller has read it from the database, so a destroyed key opens nothing; the cache saves
   * only the unsealing.
   */
  open(db: TenantReads, subject: string, sealed: Uint8Array): Promise<OpenedKey>;
  /**
   * Returns the key of the subject, and creates it if there is none. `stored` is null if the transaction has read that
   * there is none.
   */
  ensure(tx: TenantTx, subject: string, stored?: Uint8Array | null): Promise<OpenedKey>;
  /** Returns the key of the subject. Throws if it was destroyed. */
  get(db: TenantReads, subject: string): Promise<OpenedKey>;
  /** Destroys the keys, and removes them from the cache after the commit. */
  destroy(tx: TenantTx, subjects: readonly string[]): Promise<void>;
};

/** An unsealed data key, and the text that it opened last. */
export type OpenedKey = { sealed: Uint8Array; key: KeyObject; text?: OpenedText };
type OpenedText = { context: string; sealed: Uint8Array; plain: string; at: number };

const MAX_OPENED_KEYS = 20_000;
const FILTER_PLACES = 2000;

export const dataKeyContext = (tenantId: TenantId, subject: string) => contextOf('data-key', tenantId, subject);

export function openDataKeys(tenantKeys: TenantKeys, clock: Clock): DataKeys {
  const opened = boundedMap<string, OpenedKey>(MAX_OPENED_KEYS);
  const filter = admissionFilter(FILTER_PLACES);

  const open = async (db: TenantReads, subject: string, sealed: Uint8Array): Promise<OpenedKey> => {
    const name = `${db.tenantId}/${subject}`;
    const cached = opened.get(name);
    if (cached && Buffer.compare(cached.sealed, sealed) === 0) return cached;
    const { key: tenantKey } = await tenantKeys.get(db, sealedBy(sealed));
    const key = keyFrom(unseal(tenantKey, dataKeyContext(db.tenantId, subject), sealed));
    const entry = { sealed, key };
    // Most subjects are read once in a long while. Their keys are not cached, because they would only burden the
    // garbage collector.
    if (filter.wasSeen(sealed)) opened.set(name, entry);
    return entry;
  };

  return {
    open,
    async ensure(tx, subject, stored) {
      const existing = stored === undefined ? await findDataKey(tx, subject) : stored;
      if (existing) return open(tx, subject, existing);
      const sealedKey = seal(await tenantKeys.get(tx), dataKeyContext(tx.tenantId, subject), newKey().export());
      const storedKey = await ensureDataKey(tx, { subject, sealed: sealedKey, created_at: clock.now() });
      if (!storedKey) throw new Error('a data key could not be stored');
      return open(tx, subject, storedKey.sealed);
    },
    async get(db, subject) {
      const stored = await findDataKey(db, subject);
      if (!stored) throw new Error(`the data key of ${subject} was destroyed`);
      return open(db, subject, stored);
    },
    async destroy(tx, subjects) {
      tx.afterCommit(() => {
        for (const subject of subjects) opened.delete(`${tx.tenantId}/${subject}`);
      });
      destroyDataKeys(tx, { subjects });
    },
  };
}

/**
 * An admission filter: whether a sealed key was seen filter. Each key has one place, by its random bytes, and loses it
 * to the next key with the same place.
 */
function admissionFilter(places: number): { wasSeen(sealed: Uint8Array): boolean } {
  const marks = new Uint32Array(places);
  return {
    wasSeen(sealed) {
      const { mark, spread } = randomnessOf(sealed);
      const index = spread % places;
      const isKnown = marks[index] === mark;
      marks[index] = mark;
      return isKnown;
    },
  };
}
