import { randomBytes } from 'node:crypto';
import type { TenantReads, TenantTx } from '../../db/db.ts';
import {
  CHALLENGE_LIMITS,
  type ChallengeProgress,
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
  saveChallenge,
  useChallenge,
} from './challenges.repository.ts';

/** Challenges of active liveness, as they are stored: one is open for an attempt, and each is used once. */
export type Challenges = {
  /** Ends the one before. Refuses with 100131 an attempt that has had too many. The instance is locked. */
  start(tx: TenantTx, of: Attempt, start: StartChallenge, now: number): Promise<OpenedChallenge>;
  /** Undefined if there is none of that id. */
  read(db: TenantReads, instanceId: string, id: string): Promise<OpenedChallenge | undefined>;
  /** A new token if the instruction is another one than before. The instance is locked. */
  save(tx: TenantTx, before: OpenedChallenge, progress: ChallengeProgress): Promise<OpenedChallenge>;
  /** In the transaction of the submission. Refuses with 100132 what is unknown, unfinished, used or too late. */
  use(tx: TenantTx, of: Attempt & { id: string }, now: number): Promise<void>;
};

export type StartChallenge = { readonly publicKey: object; readonly omit: readonly Omission[] };
export type OpenedChallenge = { readonly row: ChallengeRow; readonly progress: ChallengeProgress };

/** Somebody who starts over has a reason; somebody who starts until an easy one comes up has another. */
export const MAX_STARTS = 3;
/** From the last frame until the submission, a slow line included. */
const SUBMIT_MS = 120_000;
const TOKEN_BYTES = 16;

const newToken = () => randomBytes(TOKEN_BYTES).toString('base64url');
const contextOf = (id: string) => `liveness:${id}`;

export function openChallenges(vault: Pick<Vault, 'sealFor' | 'openFor'>): Challenges {
  const seal = (tx: TenantTx, instanceId: string, id: string, progress: ChallengeProgress) =>
    vault.sealFor(tx, instanceSubject(instanceId), contextOf(id), Buffer.from(writeProgress(progress)));

  return {
    async start(tx, of, { publicKey, omit }, now) {
      const { instanceId, step, attempt } = of;
      if ((await countChallenges(tx, of)) >= MAX_STARTS) throw new ApiError(100131);
      await endOpenChallenges(tx, of);
      const id = newId(now);
      const progress = startChallenge({ now, omit });
      const row: ChallengeRow = {
        ...{ instance_id: instanceId, id, step, attempt, state: 'OPEN', token: newToken() },
        ...{ public_key: JSON.stringify(publicKey), progress: await seal(tx, instanceId, id, progress) },
        ...{ started_at: now, expires_at: now + CHALLENGE_LIMITS.challengeMs + SUBMIT_MS },
      };
      await addChallenge(tx, row);
      return { row, progress };
    },

    async read(db, instanceId, id) {
      const row = await findChallenge(db, instanceId, id);
      if (!row) return undefined;
      const text = await vault.openFor(db, instanceSubject(instanceId), contextOf(id), row.progress);
      return { row, progress: readProgress(text.toString('utf8')) };
    },

    async save(tx, { row, progress: before }, progress) {
      const { instance_id, id } = row;
      const token = progress.instructions.length === before.instructions.length ? row.token : newToken();
      const saved = {
        ...{ ...row, state: progress.state, token },
        progress: await seal(tx, instance_id, id, progress),
      };
      await saveChallenge(tx, saved);
      return { row: saved, progress };
    },

    async use(tx, of, now) {
      if (!(await useChallenge(tx, of, now))) throw new ApiError(100132);
    },
  };
}

/** Vectors are half a thousand numbers each; as text they would be five times as long. */
export function writeProgress(progress: ChallengeProgress): string {
  return JSON.stringify(progress, (_key, value: unknown) =>
    value instanceof Float32Array
      ? { float32: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') }
      : value,
  );
}

export function readProgress(text: string): ChallengeProgress {
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('float32' in value)) return value;
    const bytes = Buffer.from(String(value.float32), 'base64');
    return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  });
}
