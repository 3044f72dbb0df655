import { type Audit, type AuditAction, changedBy } from '../../audit/audit.ts';
import type { TenantTx } from '../../db/db.ts';
import { actor } from '../../kernel/actor.ts';
import { toDtm } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { isOperatorName } from '../../kernel/operator-name.ts';
import { lockVisible } from '../instances/lock-chain.ts';
import type { InstanceRow } from '../instances/process-instances.repository.ts';
import { isClaimed } from './claims.ts';

/** Locks reviews, and names their reviewers. */
/** The name of the reviewer. Ensures that an API key does not name anybody who can sign in (impersonation). */
export function nameOf({ principal }: Context, reviewer: string | undefined): string {
  const own = actor(principal);
  if (reviewer === undefined || reviewer === own) return own;
  const message = principal.operator
    ? 'must be left out: you are the reviewer'
    : isOperatorName(reviewer) && 'must not read as an operator, who signs in to review';
  if (message) throw invalidInput({ pointer: '/reviewer', message });
  return reviewer;
}

/** Locks the instance. Ensures that it waits for a review that nobody else has claimed. */
export async function lockReview(
  context: Context,
  tx: TenantTx,
  id: string,
  reviewer: string | undefined,
): Promise<InstanceRow> {
  const name = nameOf(context, reviewer);
  const row = await lockWaiting(context, tx, id);
  if (isClaimed(row, context.now) && row.reviewer !== name) {
    throw new ApiError(100060, { detail: `until ${toDtm(row.claimed_until as number)}` });
  }
  return row;
}

/**
 * Locks the instance, after those above it: a verdict changes them, too (deadlock). Ensures that the instance waits for a
 * review.
 */
export async function lockWaiting(context: Context, tx: TenantTx, id: string): Promise<InstanceRow> {
  const row = await lockVisible(context, tx, id);
  if (row.status !== 'REVIEW') throw new ApiError(100061);
  return row;
}

export function record(
  audit: Pick<Audit, 'record'>,
  context: Context,
  tx: TenantTx,
  action: AuditAction,
  instanceId: string,
) {
  return audit.record(tx, { ...changedBy(context), action, instanceId });
}
