import type { KeyObject } from 'node:crypto';
import type { TenantReads, TenantTx } from '../db/db.ts';
import { boundedMap } from '../kernel/bounded-map.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { contextOf, keyFrom, newKey, randomnessOf, seal, sealedBy, unseal } from './sealing.ts';
import { destroyDataKeys, ensureDataKey, findDataKey } from './secrets.repository.ts';
import type { TenantKeys } from './tenant-keys.ts';

/** The keys of subjects, which the tenant's key seals and which seal data. */
export type DataKeys = {
  /** The stored key is read every time, so one that was destroyed opens nothing; only its unsealing is spared. */
  open(db: TenantReads, subject: string, sealed: Uint8Array): Promise<OpenedKey>;
  /** That of the subject, made if there is none. `stored` is null if the transaction has looked and there was none. */
  ensure(tx: TenantTx, subject: string, stored?: Uint8Array | null): Promise<OpenedKey>;
  /** That of the subject. Throws if it was destroyed. */
  get(db: TenantReads, subject: string): Promise<OpenedKey>;
  /** Keys that are in use here are forgotten after the commit. */
  destroy(tx: TenantTx, subjects: readonly string[]): Promise<void>;
};

/** A data key as it is used, and the text that it opened last. */
export type OpenedKey = { sealed: Uint8Array; key: KeyObject; text?: OpenedText };
type OpenedText = { context: string; sealed: Uint8Array; plain: string; at: number };

const MAX_OPENED_KEYS = 20_000;
const MAX_LATELY = 2000;

export const dataKeyContext = (tenantId: TenantId, subject: string) => contextOf('data-key', tenantId, subject);

export function openDataKeys(tenantKeys: TenantKeys, clock: Clock): DataKeys {
  const opened = boundedMap<string, OpenedKey>(MAX_OPENED_KEYS);
  const lately = doorkeeper(MAX_LATELY);

  const open = async (db: TenantReads, subject: string, sealed: Uint8Array): Promise<OpenedKey> => {
    const name = `${db.tenantId}/${subject}`;
    const cached = opened.get(name);
    if (cached && Buffer.compare(cached.sealed, sealed) === 0) return cached;
    const { key: tenantKey } = await tenantKeys.get(db, sealedBy(sealed));
    const key = keyFrom(unseal(tenantKey, dataKeyContext(db.tenantId, subject), sealed));
    const entry = { sealed, key };
    // Many subjects are asked for once in a long while. To keep all of their keys would only make work for the collector.
    if (lately.seen(sealed)) opened.set(name, entry);
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
 * Remembers which sealed keys were seen lately, by what is random in them: each has one place and is forgotten when
 * another comes to it. False the first time.
 */
function doorkeeper(places: number): { seen(sealed: Uint8Array): boolean } {
  const marks = new Uint32Array(places);
  return {
    seen(sealed) {
      const { mark, spread } = randomnessOf(sealed);
      const index = spread % places;
      const wasSeen = marks[index] === mark;
      marks[index] = mark;
      return wasSeen;
    },
  };
}
