import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import { inJson } from '../../db/sql/dialect.ts';
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

const OF_INSTANCE = sql(`SELECT ${COLUMNS} FROM instance_checks WHERE tenant_id = $1 AND instance_id = $2
  ORDER BY at, step, name LIMIT ${MAX_CHECKS}`);
const SAVE = sql(`INSERT INTO instance_checks (tenant_id, instance_id, ${COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
  ON CONFLICT (tenant_id, instance_id, step, name) DO UPDATE SET type = excluded.type, status = excluded.status,
    score = excluded.score, threshold = excluded.threshold, reason = excluded.reason, advice = excluded.advice,
    attempts = excluded.attempts, at = excluded.at, meta_data = excluded.meta_data`);
const REMOVE_STEP = sql('DELETE FROM instance_checks WHERE tenant_id = $1 AND instance_id = $2 AND step = $3');
const NOT_PASSED = sql(`SELECT instance_id, step, name, status, reason FROM instance_checks
  WHERE tenant_id = $1 AND status <> 'PASSED' AND instance_id ${inJson('$2')}
  ORDER BY instance_id, at, step, name`);

const NAMED = sql(`SELECT instance_id, step, name, status, reason, meta_data FROM instance_checks
  WHERE tenant_id = $1
    AND instance_id ${inJson('$2')}
    AND name ${inJson('$3')}
  ORDER BY instance_id, at, step, name LIMIT ${MAX_CHECKS * 10}`);

export function checksOf(db: TenantReads, instanceId: string): Promise<CheckRow[]> {
  return db.all<CheckRow>(OF_INSTANCE, [db.tenantId, instanceId]);
}

type Made = { instanceId: string; step: string; attempts: number; now: number };

/** The checks of a later attempt take the place of those of an earlier one. */
export async function saveChecks(tx: TenantTx, made: Made, checks: readonly Check[]): Promise<void> {
  const { instanceId, step, attempts, now } = made;
  await removeChecks(tx, instanceId, step);
  for (const check of checks) {
    await tx.run(SAVE, [
      ...[tx.tenantId, instanceId, step, check.name, check.type, check.status],
      ...[check.score ?? null, check.threshold ?? null, check.reason ?? null, check.advice ?? null],
      ...[attempts, now, check.metaData ? JSON.stringify(check.metaData) : null],
    ]);
  }
}

export async function removeChecks(tx: TenantTx, instanceId: string, step: string): Promise<void> {
  await tx.run(REMOVE_STEP, [tx.tenantId, instanceId, step]);
}

export type NamedCheck = Pick<CheckRow, 'step' | 'name' | 'status' | 'reason' | 'meta_data'> & { instance_id: string };

/** The checks of these names, for a page of instances at once. */
export function checksNamed(
  db: TenantReads,
  instanceIds: readonly string[],
  names: readonly string[],
): Promise<NamedCheck[]> {
  return db.all<NamedCheck>(NAMED, [db.tenantId, JSON.stringify(instanceIds), JSON.stringify(names)]);
}

export type NotPassed = { instance_id: string; step: string; name: string; status: CheckStatus; reason: string | null };

/** What a reviewer should look at, for a page of instances at once. */
export function checksNotPassed(db: TenantReads, instanceIds: readonly string[]): Promise<NotPassed[]> {
  return db.all<NotPassed>(NOT_PASSED, [db.tenantId, JSON.stringify(instanceIds)]);
}
