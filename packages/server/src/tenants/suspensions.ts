import type { Reads } from '../db/db.ts';
import type { Clock } from '../kernel/clock.ts';
import { ApiError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { notActiveTenants } from './tenants.repository.ts';

/**
 * The tenants that nobody may use now: they are suspended or being deleted. Another process changes this, so each server
 * reads it again when its copy is three seconds old.
 */
export type Suspensions = {
  ids(): Promise<ReadonlySet<string>>;
  /** Refuses with 100320. */
  ensureActive(tenantId: TenantId): Promise<void>;
};

const CACHE_MS = 3000;

export function openSuspensions({ system, clock }: { system: Reads; clock: Clock }): Suspensions {
  let cache: { at: number; ids: ReadonlySet<string> } | undefined;
  let loading: Promise<ReadonlySet<string>> | undefined;
  const load = async () => {
    const at = clock.now();
    const ids = new Set(await notActiveTenants(system));
    cache = { at, ids };
    return ids;
  };
  const ids = async () => {
    if (cache && Math.abs(clock.now() - cache.at) < CACHE_MS) return cache.ids;
    loading ??= load().finally(() => {
      loading = undefined;
    });
    return loading;
  };
  return {
    ids,
    async ensureActive(tenantId) {
      if ((await ids()).has(tenantId)) throw new ApiError(100320);
    },
  };
}
