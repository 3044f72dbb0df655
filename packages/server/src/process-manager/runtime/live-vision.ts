import type { TenantDb } from '../../db/db.ts';
import type { Vision, VisionImage, VisionMachine } from '../../engines/vision/vision.ts';
import type { Check, CheckType } from '../../kernel/check.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { type FindDuplicatesDeps, findDuplicates, NOT_ALL_COMPARED } from '../faces/find-duplicates.ts';
import { findProcessSettings } from '../settings/settings.repository.ts';
import type { Snapshot } from './drive.ts';

/** Searches a watchlist for a face. Undefined if there is no such list. */
export type SearchWatchlist = (
  tenantId: TenantId,
  environment: 'live' | 'test',
  name: string,
  template: Buffer,
  /** The instance whose face is searched, for the audit log. */
  instanceId: string,
) => Promise<FoundFaces | undefined>;

type Candidate = { readonly memberId: string; readonly score: number };
type FoundFaces = {
  readonly candidates: readonly Candidate[];
  /** The number of compared faces of the list, and of those of another algorithm. */
  readonly compared: number;
  readonly notComparable: number;
};

/** Searches a watchlist for document numbers or e-mail addresses. */
export type SearchValues = (
  tenantId: TenantId,
  environment: 'live' | 'test',
  name: string,
  values: readonly string[],
  instanceId: string,
) => Promise<{ candidates: readonly Candidate[] } | undefined>;

export type LiveVisionDeps = FindDuplicatesDeps & {
  machine: VisionMachine;
  searchWatchlist?: SearchWatchlist;
  searchValues?: SearchValues;
  now(): number;
};

/** The machine and the searches among stored faces, for the work on one instance. */
export function liveVision(deps: LiveVisionDeps, db: TenantDb, { instance }: Snapshot, step: string): Vision {
  const { machine, searchWatchlist, searchValues } = deps;
  const { readFace, matchFaces } = machine;
  return {
    readFace,
    matchFaces,
    async readDocument(request, signal) {
      const { allowSpecimens } = await findProcessSettings(db, 'live');
      return machine.readDocument({ ...request, allowSpecimens }, signal);
    },
    async searchFaces({ list, face, threshold }, signal) {
      if (!searchWatchlist) return notPerformed('watchlist', 'watchlist', 'engine_not_available');
      const template = await templateOf(machine, face, signal);
      if (typeof template === 'string') return notPerformed('watchlist', 'watchlist', template);
      const result = await searchWatchlist(db.tenantId, instance.environment, list, template, instance.id);
      if (!result) return notPerformed('watchlist', 'watchlist', 'watchlist_missing');
      const candidates = result.candidates.filter(({ score }) => score >= threshold);
      const { compared, notComparable } = result;
      const metaData = { algorithm: machine.algorithm, compared, notComparable, candidates };
      const check = { name: 'watchlist', type: 'watchlist', threshold, metaData } as const;
      const [best] = candidates.toSorted((one, other) => other.score - one.score);
      if (best) return { ...check, status: 'REVIEW', score: best.score, reason: 'candidate_found', advice: 'final' };
      return notComparable > 0 ? { ...check, ...NOT_ALL_COMPARED } : { ...check, status: 'PASSED' };
    },
    async searchValues({ list, values }) {
      const result = await searchValues?.(db.tenantId, instance.environment, list, values, instance.id);
      if (!result) return notPerformed('watchlist', 'watchlist', 'watchlist_missing');
      const { candidates } = result;
      const check = { name: 'watchlist', type: 'watchlist', metaData: { candidates } } as const;
      if (candidates.length === 0) return { ...check, status: 'PASSED' };
      return { ...check, status: 'REVIEW', score: 1, reason: 'candidate_found', advice: 'final' };
    },
    async findDuplicates({ face, threshold }, signal) {
      const template = await templateOf(machine, face, signal);
      if (typeof template === 'string') return notPerformed('duplicate', 'face', template);
      return findDuplicates(deps, db, { instance, step, template, threshold, now: deps.now() });
    },
  };
}

/** The template, or the reason why there is none. */
async function templateOf(machine: VisionMachine, face: VisionImage, signal: AbortSignal): Promise<Buffer | string> {
  const result = await machine.faceTemplate(face, signal);
  return result.template ?? result.reason;
}

function notPerformed(name: string, type: CheckType, reason: string): Check {
  return { name, type, status: 'NOT_PERFORMED', reason, advice: 'final' };
}
