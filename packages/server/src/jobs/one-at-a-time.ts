import type { TenantDb } from '../db/db.ts';
import type { TenantId } from '../kernel/ids.ts';

export type PassOf = (db: TenantDb, signal?: AbortSignal) => Promise<void>;

/** Runs one pass per tenant at a time; requests that arrive meanwhile share the next pass. */
export function oneAtATime(pass: PassOf): PassOf {
  const last = new Map<TenantId, Promise<void>>();
  return async (db, signal) => {
    const before = last.get(db.tenantId) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(() => pass(db, signal));
    last.set(db.tenantId, mine);
    try {
      await mine;
    } finally {
      if (last.get(db.tenantId) === mine) last.delete(db.tenantId);
    }
  };
}
