import { randomBytes } from 'node:crypto';
import type { TenantReads, TenantTx } from '../../db/db.ts';
import {
  CHALLENGE_LIMITS,
  type ChallengeFrame,
  type ChallengeProgress,
  expire,
  type FaceObservation,
  type Omission,
  startChallenge,
} from '../../engines/vision/challenge.ts';
import { ApiError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Vault } from '../../secrets/vault.ts';
import { instanceSubject } from '../instances/instance-subject.ts';
import {
  type Attempt,
  addChallenge,
  type ChallengeRow,
  countChallenges,
  endOpenChallenges,
  findChallenge,
  noteRefusal,
  refusedChallenges,
  saveChallenge,
  useChallenge,
} from './challenges.repository.ts';

/** Stores challenges of active liveness: one is open for an attempt, and each is used once. */
export type Challenges = {
  /**
   * Ends the previous challenge. Refuses with 100131 after too many of one attempt. The caller has locked the instance.
   */
  start(tx: TenantTx, of: Attempt, start: StartChallenge, now: number): Promise<OpenedChallenge>;
  /** Records that the server could not take a frame because the database or the bucket was unavailable. */
  noteRefusal(tx: TenantTx, instanceId: string, at: number): Promise<void>;
  read(db: TenantReads, instanceId: string, id: string): Promise<OpenedChallenge | undefined>;
  /** Makes a new token if the instruction changed. The caller has locked the instance. */
  save(tx: TenantTx, before: OpenedChallenge, progress: ChallengeProgress): Promise<OpenedChallenge>;
  /**
   * Runs in the transaction of the submission. Refuses with 100132 a challenge that is unknown, unfinished, used or
   * late.
   */
  use(tx: TenantTx, of: Attempt & { id: string }, now: number): Promise<void>;
};

export type StartChallenge = { readonly publicKey: object; readonly omit: readonly Omission[] };
export type OpenedChallenge = { readonly row: ChallengeRow; readonly progress: ChallengeProgress };

/** The starts of an attempt are limited, so that nobody restarts until an easy challenge comes up. */
export const MAX_STARTS = 3;
/** Challenges that do not count because they ran out of time while the server could not take a frame. */
export const MAX_FORGIVEN = 10;
/** The time from the last frame to the submission, on a slow connection. */
const SUBMIT_MS = 120_000;
const TOKEN_BYTES = 16;

const newToken = () => randomBytes(TOKEN_BYTES).toString('base64url');
const contextOf = (id: string) => `liveness:${id}`;

type Seals = Pick<Vault, 'sealFor' | 'openFor'>;

export function openChallenges(vault: Seals): Challenges {
  const seal = (tx: TenantTx, instanceId: string, id: string, progress: ChallengeProgress) =>
    vault.sealFor(tx, instanceSubject(instanceId), contextOf(id), Buffer.from(writeProgress(progress)));

  return {
    async start(tx, of, { publicKey, omit }, now) {
      const { instanceId, step, attempt } = of;
      const starts = await countChallenges(tx, of);
      if (starts >= MAX_STARTS && starts - (await countForgiven(vault, tx, of, now)) >= MAX_STARTS) {
        throw new ApiError(100131);
      }
      endOpenChallenges(tx, of);
      const id = newId(now);
      const progress = startChallenge({ now, omit });
      const row: ChallengeRow = {
        instance_id: instanceId,
        id,
        step,
        attempt,
        state: 'OPEN',
        token: newToken(),
        public_key: JSON.stringify(publicKey),
        progress: await seal(tx, instanceId, id, progress),
        started_at: now,
        expires_at: now + CHALLENGE_LIMITS.challengeMs + SUBMIT_MS,
        refused_at: null,
        packed_at: null,
      };
      addChallenge(tx, row);
      return { row, progress };
    },

    noteRefusal: (tx, instanceId, at) =>
      noteRefusal(tx, { instanceId, at, earliest: at - CHALLENGE_LIMITS.challengeMs }),

    async read(db, instanceId, id) {
      const row = await findChallenge(db, { instanceId, id });
      return row && { row, progress: await openProgress(vault, db, row) };
    },

    async save(tx, { row, progress: before }, progress) {
      const { instance_id, id } = row;
      const token = progress.instructions.length === before.instructions.length ? row.token : newToken();
      const saved = { ...row, state: progress.state, token, progress: await seal(tx, instance_id, id, progress) };
      saveChallenge(tx, saved);
      return { row: saved, progress };
    },

    async use(tx, of, now) {
      if (!(await useChallenge(tx, of, now))) throw new ApiError(100132);
    },
  };
}

async function openProgress(vault: Seals, db: TenantReads, row: ChallengeRow): Promise<ChallengeProgress> {
  const { instance_id, id, progress } = row;
  const text = await vault.openFor(db, instanceSubject(instance_id), contextOf(id), progress);
  return readProgress(text.toString('utf8'));
}

/** Counts challenges whose last instruction ran out of time after the server had refused a frame of it. */
async function countForgiven(vault: Seals, tx: TenantTx, of: Attempt, now: number): Promise<number> {
  const { instanceId, step, attempt } = of;
  let count = 0;
  for (const row of await refusedChallenges(tx, { instanceId, step, attempt })) {
    // A challenge that was ended by a new start is still open in its progress.
    const { reason, instructions } = expire(await openProgress(vault, tx, row), now);
    const revealedAt = instructions.at(-1)?.revealedAt ?? 0;
    if (reason === 'too_slow' && (row.refused_at ?? 0) >= revealedAt) count += 1;
  }
  return Math.min(count, MAX_FORGIVEN);
}

type PackedVector = { readonly float32: string };
/** The stored form of a frame. Its observation has an older name, which open challenges of the previous release still use. */
type PackedFrame = Omit<ChallengeFrame, 'observation'> & {
  readonly seen: Omit<FaceObservation, 'vector'> & { readonly vector: PackedVector | null };
};
type PackedProgress = Omit<ChallengeProgress, 'frames'> & { readonly frames: readonly PackedFrame[] };

/** A vector is five hundred numbers. As text it would be five times as long. */
export function writeProgress(progress: ChallengeProgress): string {
  const frames = progress.frames.map(({ observation, ...frame }) => ({
    ...frame,
    seen: { ...observation, vector: pack(observation.vector) },
  }));
  return JSON.stringify({ ...progress, frames } satisfies PackedProgress);
}

/** A challenge is read twice for each frame, so no work is done here for each number of a vector. */
export function readProgress(text: string): ChallengeProgress {
  const progress = JSON.parse(text) as PackedProgress;
  const frames = progress.frames.map(({ seen: observation, ...frame }) => ({
    ...frame,
    observation: { ...observation, vector: unpack(observation.vector) },
  }));
  return { ...progress, frames };
}

function pack(vector: Float32Array | null): PackedVector | null {
  return vector && { float32: Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64') };
}

function unpack(packed: PackedVector | null): Float32Array | null {
  if (!packed) return null;
  const bytes = Buffer.from(packed.float32, 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
