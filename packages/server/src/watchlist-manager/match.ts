import type { api, Ok } from '@grove/contract';
import { type Audit, changedBy } from '../audit/audit.ts';
import type { TenantReads } from '../db/db.ts';
import type { Context } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import type { Handlers } from '../kernel/implement.ts';
import type { Vault } from '../secrets/vault.ts';
import type { Galleries, GalleryResult } from './galleries.ts';
import { openDetails, subjectOf } from './member-details.ts';
import { findMember, findMemberOfValue } from './members.repository.ts';
import { getList, type MembersDeps, readSearchKey } from './members.ts';

/** Searches a watchlist for a caller of the API. The candidates are for a human to judge, never a verdict. */
export type MatchDeps = Pick<MembersDeps, 'readFace' | 'hashValue'> & {
  vault: Pick<Vault, 'unsealerFor'>;
  audit: Pick<Audit, 'record'>;
  galleries: Galleries;
};

type Match = Ok<typeof api.watchlists.match>;

const DEFAULT_THRESHOLD = 0.6;
const DEFAULT_LIMIT = 10;

export function matchHandler(deps: MatchDeps): Pick<Handlers<typeof api.watchlists>, 'match'> {
  return {
    async match(context, { params, body }) {
      const { db, now } = context;
      const list = await getList(db, context, params.watchlistId);
      if (list.status !== 'ACTIVE') throw new ApiError(100103);
      const { face, hash } = await readSearchKey(deps, context, list, body);
      // The search is recorded first: a search that cannot be recorded does not run.
      await db.write((tx) =>
        deps.audit.record(tx, { ...changedBy(context), action: 'watchlist.searched', item: list.id }),
      );
      const { threshold: atLeast = DEFAULT_THRESHOLD, limit = DEFAULT_LIMIT } = body;
      const result = face
        ? await deps.galleries.search(db, list, { template: face.template, atLeast, limit, now })
        : await findValue(db, { listId: list.id, hash: hash as Buffer, now, numMembers: list.num_members });
      return {
        watchlistId: list.id,
        candidates: await namedHits(deps, context, list.id, result.hits),
        numCompared: result.numCompared,
        numNotComparable: result.numNotComparable,
      };
    },
  };
}

type Value = { listId: string; hash: Buffer; now: number; numMembers: number };

async function findValue(db: TenantReads, { listId, hash, now, numMembers }: Value): Promise<GalleryResult> {
  const member = await findMemberOfValue(db, { listId, now, hash });
  const hits = member ? [{ memberId: member.id, score: 1 }] : [];
  return { hits, numCompared: numMembers, numNotComparable: 0 };
}

/** Adds the names of the members that still exist: a human has to know whom to compare with. */
async function namedHits(
  { vault }: MatchDeps,
  { db, now }: Context,
  listId: string,
  hits: GalleryResult['hits'],
): Promise<Match['candidates']> {
  if (hits.length === 0) return [];
  const unseal = await vault.unsealerFor(db, subjectOf(listId));
  const candidates: Match['candidates'] = [];
  for (const { memberId, score } of hits) {
    const member = await findMember(db, { listId, id: memberId, now });
    if (!member) continue;
    const { firstName, lastName } = openDetails(unseal, member);
    candidates.push({
      memberId,
      score,
      ...(firstName !== undefined && { firstName }),
      ...(lastName !== undefined && { lastName }),
    });
  }
  return candidates;
}
