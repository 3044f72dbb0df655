import { api } from '@grove/contract';
import type { TenantTx } from '../db/db.ts';
import type { ErasureLog } from '../erasure-log/erasure-log.ts';
import type { Platform } from '../kernel/feature.ts';
import { implement } from '../kernel/implement.ts';
import { erasableLists } from './erase-again.ts';
import { openGalleries } from './galleries.ts';
import { valueHasher } from './hash-value.ts';
import { matchHandler } from './match.ts';
import { codeStoredNames } from './member-details.ts';
import { memberHandlers } from './members.ts';
import { membersOfPerson } from './members-of-person.ts';
import { purgeMembersJob } from './purge-members.ts';
import { faceReader, type ReadFaceDeps } from './read-face.ts';
import { watchlistSearch } from './search-watchlist.ts';
import { isListName } from './watchlists.repository.ts';
import { watchlistHandlers } from './watchlists.ts';

/** Puts together watchlists, their members and the searches in them. */
export type WatchlistManagerDeps = ReadFaceDeps &
  Pick<Platform, 'db' | 'vault' | 'clock' | 'audit' | 'everyTenantId'> & {
    erasureLog: Pick<ErasureLog, 'note'>;
  };

export function openWatchlistManager(deps: WatchlistManagerDeps) {
  const { db, vault, clock, audit } = deps;
  const noteErased = deps.erasureLog.note;
  const galleries = openGalleries({ vault });
  const hashValue = valueHasher({ vault, system: db.system });
  const readFace = faceReader(deps);
  return {
    handlers: {
      watchlists: implement(api.watchlists, {
        ...watchlistHandlers({ vault, audit, galleries, noteErased }),
        ...memberHandlers({ vault, audit, readFace, hashValue, noteErased }),
        ...matchHandler({ vault, audit, readFace, hashValue, galleries }),
      }),
    },
    jobs: [purgeMembersJob({ ...deps, noteErased })],
    erasables: erasableLists({ vault, audit, galleries }),
    ...watchlistSearch({ db, clock, galleries, hashValue, audit }),
    isListName,
    ofPerson: membersOfPerson({ vault, audit }),
    /** Seals what an earlier release stored in the clear. */
    sealBatch: (tx: TenantTx, after: string, limit: number) => codeStoredNames(vault, tx, { after, limit }),
  };
}
