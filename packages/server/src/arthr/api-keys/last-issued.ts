import type { Db } from '../../db/db.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { touchApiKeys } from './api-keys.repository.ts';

/**
 * Records when each key last issued a token. A write for each token would make every exchange wait for the disk, so the
 * times are collected and written together, once a second and at a clean stop. Reads look here first.
 */
export type LastIssued = {
  note(tenantId: TenantId, keyId: string, at: number): void;
  of(keyId: string): number | undefined;
  flush(): Promise<void>;
};

/** With this many collected times, they are written at once. */
const MAX_PENDING = 10_000;

export function openLastIssued(db: Db, onError: (error: unknown) => void): LastIssued {
  let pending = new Map<string, { tenantId: TenantId; at: number }>();
  let writing = new Map<string, { tenantId: TenantId; at: number }>();
  let flushing: Promise<void> | undefined;

  const write = async () => {
    const byTenant = Map.groupBy(writing, ([, { tenantId }]) => tenantId);
    for (const [tenantId, issued] of byTenant) {
      await db.of(tenantId).write((tx) =>
        touchApiKeys(
          tx,
          issued.map(([id, { at }]) => [id, at] as const),
        ),
      );
    }
  };

  const flush = async (): Promise<void> => {
    if (flushing) await flushing;
    if (pending.size === 0) return;
    writing = pending;
    pending = new Map();
    flushing = write();
    try {
      await flushing;
    } catch (error) {
      // The times stay pending, unless a newer one has come in between.
      for (const [id, entry] of writing) if (!pending.has(id)) pending.set(id, entry);
      throw error;
    } finally {
      writing = new Map();
      flushing = undefined;
    }
  };

  return {
    note(tenantId, keyId, at) {
      pending.set(keyId, { tenantId, at });
      if (pending.size === MAX_PENDING) flush().catch(onError);
    },
    of: (keyId) => (pending.get(keyId) ?? writing.get(keyId))?.at,
    flush,
  };
}
