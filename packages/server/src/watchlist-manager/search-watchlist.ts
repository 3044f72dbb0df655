import type { Audit } from '../audit/audit.ts';
import type { TenantReads } from '../db/db.ts';
import type { Environment } from '../kernel/environment.ts';
import type { Platform } from '../kernel/feature.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { Galleries } from './galleries.ts';
import type { HashValue } from './hash-value.ts';
import { findMemberOfValue } from './members.repository.ts';
import { findListNamed, type ListRow } from './watchlists.repository.ts';

/** Searches watchlists for a step of a journey. The candidates are for a human to judge. */
export type SearchDeps = Pick<Platform, 'db' | 'clock'> & {
  galleries: Galleries;
  hashValue: HashValue;
  audit: Pick<Audit, 'record'>;
};

export type Candidates = { readonly candidates: readonly { memberId: string; score: number }[] };
export type FaceCandidates = Candidates & { readonly compared: number; readonly notComparable: number };

/** The lowest score of a candidate. The threshold of a step is higher. */
const AT_LEAST = 0.5;
const LIMIT = 10;
const ACTOR = 'Watchlist step';

export type WatchlistSearch = {
  /** Undefined if there is no active list of faces with this name. */
  searchWatchlist(
    tenantId: TenantId,
    environment: Environment,
    name: string,
    template: Buffer,
    instanceId?: string,
  ): Promise<FaceCandidates | undefined>;
  /** Searches a list of document numbers or e-mail addresses. Undefined if there is no active one with this name. */
  searchValues(
    tenantId: TenantId,
    environment: Environment,
    name: string,
    values: readonly string[],
    instanceId?: string,
  ): Promise<Candidates | undefined>;
};

export function watchlistSearch({ db, clock, galleries, hashValue, audit }: SearchDeps): WatchlistSearch {
  /** Called before the search: a search that cannot be recorded does not run. */
  const recordSearch = async (tenantId: TenantId, list: ListRow, instanceId: string | undefined) => {
    const { environment, id: item } = list;
    await db.of(tenantId).write((tx) =>
      audit.record(tx, {
        action: 'watchlist.searched',
        environment,
        actor: ACTOR,
        at: clock.now(),
        item,
        ...(instanceId !== undefined && { instanceId }),
      }),
    );
  };
  const findActiveList = async (reads: TenantReads, environment: Environment, name: string) => {
    const list = await findListNamed(reads, { environment, name });
    return list?.status === 'ACTIVE' ? list : undefined;
  };

  return {
    async searchWatchlist(tenantId, environment, name, template, instanceId) {
      const reads = db.of(tenantId);
      const list = await findActiveList(reads, environment, name);
      if (list?.type !== 'FACE') return undefined;
      await recordSearch(tenantId, list, instanceId);
      const search = { template, atLeast: AT_LEAST, limit: LIMIT, now: clock.now() };
      const { hits, numCompared, numNotComparable } = await galleries.search(reads, list, search);
      return { candidates: hits, compared: numCompared, notComparable: numNotComparable };
    },
    async searchValues(tenantId, environment, name, values, instanceId) {
      const reads = db.of(tenantId);
      const list = await findActiveList(reads, environment, name);
      if (!list || list.type === 'FACE') return undefined;
      await recordSearch(tenantId, list, instanceId);
      const hits = new Map<string, { memberId: string; score: number }>();
      for (const value of values) {
        const hash = await hashValue(tenantId, list, value);
        const member = hash && (await findMemberOfValue(reads, { listId: list.id, now: clock.now(), hash }));
        if (member) hits.set(member.id, { memberId: member.id, score: 1 });
      }
      return { candidates: [...hits.values()] };
    },
  };
}
