import type { TenantTx } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { query, statement } from '../../db/sql/statement.ts';
import type { Check, CheckStatus, CheckType } from '../../kernel/check.ts';

export type CheckRow = {
  step: string;
  name: string;
  type: CheckType;
  status: CheckStatus;
  score: number | null;
  threshold: number | null;
  reason: string | null;
  advice: 'retry' | 'final' | null;
  attempts: number;
  at: number;
  meta_data: string | null;
};

const COLUMNS = 'step, name, type, status, score, threshold, reason, advice, attempts, at, meta_data';
const MAX_CHECKS = 1000;

const ADD = statement(`INSERT INTO instance_checks (tenant_id, instance_id, ${COLUMNS})
  VALUES (:tenant_id, :instanceId, :step, :name, :type, :status, :score, :threshold, :reason, :advice, :attempts,
  :now, :meta_data)`);

export const checksOf =
  query<CheckRow>()(`SELECT ${COLUMNS} FROM instance_checks WHERE tenant_id = :tenant_id AND instance_id = :instanceId
  ORDER BY at, step, name LIMIT ${MAX_CHECKS}`).all;

type Details = Pick<CheckRow, 'score' | 'threshold' | 'reason' | 'advice' | 'meta_data'>;

/** The members of a check that may be absent, from its row. */
export function detailsOf({
  score,
  threshold,
  reason,
  advice,
  meta_data,
}: Details): Omit<Check, 'name' | 'type' | 'status'> {
  return {
    ...(score !== null && { score }),
    ...(threshold !== null && { threshold }),
    ...(reason !== null && { reason }),
    ...(advice !== null && { advice }),
    ...(meta_data !== null && { metaData: JSON.parse(meta_data) as Record<string, unknown> }),
  };
}

type CheckedAttempt = { instanceId: string; step: string; attempts: number; now: number };

/** The checks of a later attempt take the place of those of an earlier one. */
export async function saveChecks(tx: TenantTx, checked: CheckedAttempt, checks: readonly Check[]): Promise<void> {
  const { instanceId, step, attempts, now } = checked;
  removeChecks(tx, { instanceId, step });
  // The last one of a name counts.
  const byName = new Map(checks.map((check) => [check.name, check]));
  ADD.sendAll(
    tx,
    [...byName.values()].map((check) => ({
      instanceId,
      step,
      name: check.name,
      type: check.type,
      status: check.status,
      score: check.score ?? null,
      threshold: check.threshold ?? null,
      reason: check.reason ?? null,
      advice: check.advice ?? null,
      attempts,
      now,
      meta_data: check.metaData ? JSON.stringify(check.metaData) : null,
    })),
  );
}

export const removeChecks = statement(
  'DELETE FROM instance_checks WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND step = :step',
).send;

export type NamedCheck = Pick<CheckRow, 'step' | 'name' | 'status' | 'reason' | 'meta_data'> & { instance_id: string };

/** The checks of these names, for a page of instances at once. */
export const checksOfNames =
  query<NamedCheck>()(`SELECT instance_id, step, name, status, reason, meta_data FROM instance_checks
  WHERE tenant_id = :tenant_id
    AND instance_id ${inList(':instanceIds')}
    AND name ${inList(':names')}
  ORDER BY instance_id, at, step, name LIMIT ${MAX_CHECKS * 10}`).all;

export type NotPassed = { instance_id: string; step: string; name: string; status: CheckStatus; reason: string | null };

/** What a reviewer should look at, for a page of instances at once. */
export const checksNotPassed = query<NotPassed>()(`SELECT instance_id, step, name, status, reason FROM instance_checks
  WHERE tenant_id = :tenant_id AND status <> 'PASSED' AND instance_id ${inList(':instanceIds')}
  ORDER BY instance_id, at, step, name`).all;
