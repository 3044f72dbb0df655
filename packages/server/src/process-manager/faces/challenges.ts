import { randomBytes } from 'node:crypto';
import type { TenantReads, TenantTx } from '../../db/db.ts';
import { type Challenge, newChallenge } from '../../engines/vision/challenge.ts';
import type { SpentChallenge } from '../../engines/vision/vision.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type Attempt, addChallenge, countOpen, findSpent, forgetExpired, spend } from './challenges.repository.ts';

/** The challenges of active liveness: drawn by the server, answered once, within a minute. */

/** Somebody who starts over has a reason; somebody who draws until an easy one comes up has another. */
export const MAX_OPEN_CHALLENGES = 5;

/** The instance is locked. Refuses with 100131 if too many are open. */
export async function drawChallenge(tx: TenantTx, of: Attempt, now: number): Promise<Challenge> {
  const { instanceId, step, attempt } = of;
  await forgetExpired(tx, instanceId, now);
  if ((await countOpen(tx, of, now)) >= MAX_OPEN_CHALLENGES) throw new ApiError(100131);
  const challenge = newChallenge({ random: randomBytes, now });
  await addChallenge(tx, {
    ...{ instance_id: instanceId, step, attempt, nonce: challenge.nonce, poses: JSON.stringify(challenge.poses) },
    ...{ issued_at: challenge.issuedAt, expires_at: challenge.expiresAt },
  });
  return challenge;
}

/** In the transaction of the submission that answers it. Refuses with 100132 what is unknown, used or too late. */
export async function spendChallenge(tx: TenantTx, of: Attempt & { nonce: string }, now: number): Promise<void> {
  if (!(await spend(tx, of, now))) throw new ApiError(100132);
}

/** The challenge that the submission of this attempt has spent. */
export async function spentChallenge(
  db: TenantReads,
  of: Attempt & { nonce: string },
): Promise<SpentChallenge | undefined> {
  const row = await findSpent(db, of);
  if (!row || row.used_at === null) return undefined;
  const { nonce, poses, issued_at, expires_at, used_at } = row;
  return { nonce, poses: JSON.parse(poses), issuedAt: issued_at, expiresAt: expires_at, usedAt: used_at };
}
