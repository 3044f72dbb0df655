import type { TenantTx } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { integer, optional, type RowOf, real, table, text } from '../../db/sql/table.ts';
import type { Check, CheckStatus, CheckType } from '../../kernel/check.ts';

const instanceChecks = table('instance_checks', {
  tenant_id: text(),
  instance_id: text(),
  step: text(),
  name: text(),
  type: text<CheckType>(),
  status: text<CheckStatus>(),
  score: optional(real()),
  threshold: optional(real()),
  reason: optional(text()),
  advice: optional(text<'retry' | 'final'>()),
  attempts: integer(),
  at: integer(),
  /** A JSON object. */
  meta_data: optional(text()),
});
const { columns } = instanceChecks;
type StoredCheck = RowOf<typeof instanceChecks>;
export type CheckRow = Omit<StoredCheck, 'instance_id'>;

const MAX_CHECKS = 1000;
const ADD = instanceChecks.upsert(['tenant_id', 'instance_id', 'step', 'name']);

export const checksOf = instanceChecks.select(
  columns.filter((name) => name !== 'instance_id'),
  `WHERE tenant_id = :tenant_id AND instance_id = :instanceId ORDER BY at, step, name LIMIT ${MAX_CHECKS}`,
).all;

type Details = Pick<CheckRow, 'score' | 'threshold' | 'reason' | 'advice' | 'meta_data'>;

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

type NewChecks = {
  readonly step: string;
  readonly attempts: number;
  readonly checks: readonly Check[];
  readonly isFirst: boolean;
};

/** Saves checks. Those of a later attempt replace those of an earlier one. */
export function saveChecks(
  tx: TenantTx,
  { instanceId, now }: { instanceId: string; now: number },
  { step, attempts, checks, isFirst }: NewChecks,
): void {
  if (!isFirst) removeChecks(tx, { instanceId, step });
  // The last one of a name counts.
  const byName = new Map(checks.map((check) => [check.name, check]));
  ADD.sendAll(
    tx,
    [...byName.values()].map(({ name, type, status, score, threshold, reason, advice, metaData }) => ({
      instance_id: instanceId,
      step,
      name,
      type,
      status,
      score: score ?? null,
      threshold: threshold ?? null,
      reason: reason ?? null,
      advice: advice ?? null,
      attempts,
      at: now,
      meta_data: metaData ? JSON.stringify(metaData) : null,
    })),
  );
}

export const removeChecks = instanceChecks.delete(
  'WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND step = :step',
).send;

const NAME_COLUMNS = ['instance_id', 'step', 'name', 'status', 'reason', 'meta_data'] as const;
export type NamedCheck = Pick<StoredCheck, (typeof NAME_COLUMNS)[number]>;

export const checksOfNames = instanceChecks.select(
  NAME_COLUMNS,
  `WHERE tenant_id = :tenant_id AND instance_id ${inList(':instanceIds')} AND name ${inList(':names')}
  ORDER BY instance_id, at, step, name LIMIT ${MAX_CHECKS * 10}`,
).all;

export type CheckIssue = Omit<NamedCheck, 'meta_data'>;

/** Checks that need a reviewer's attention, for a page of instances at once. */
export const checksNotPassed = instanceChecks.select(
  ['instance_id', 'step', 'name', 'status', 'reason'],
  `WHERE tenant_id = :tenant_id AND status <> 'PASSED' AND instance_id ${inList(':instanceIds')}
  ORDER BY instance_id, at, step, name`,
).all;
