import type { api, Body } from '@grove/contract';
import { type Audit, changedBy } from '../../audit/audit.ts';
import type { Check } from '../../kernel/check.ts';
import type { Context } from '../../kernel/context.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { type CheckRow, checksOf, detailsOf } from '../instances/checks.repository.ts';
import { toPlainView } from '../instances/instance-view.ts';
import type { Drive } from '../runtime/drive.ts';
import { lockReview, nameOf } from './lock-review.ts';

type Deps = { drive: Pick<Drive, 'apply'>; audit: Pick<Audit, 'record'> };

/** Lets a reviewer correct a value that was read from a document. The engine judges the instance again. */
export function correctReview(deps: Deps, context: Context, id: string, input: Body<typeof api.reviews.correct>) {
  const { now, tenantId } = context;
  return context.db.write(async (tx) => {
    await lockReview(context, tx, id, input.reviewer);
    const { document, fieldName, value, replaces, comment } = input;
    const rows = Map.groupBy(await checksOf(tx, { instanceId: id }), ({ step }) => step);
    const checks = Object.fromEntries([...rows].map(([step, ofStep]) => [step, ofStep.map(toCheck)]));
    const correction = { type: 'correctValue', document, fieldName, value: value.trim(), comment, checks } as const;
    const reviewer = nameOf(context, input.reviewer);
    const applied = await deps.drive.apply(
      tx,
      id,
      { ...correction, reviewer, ...(replaces !== undefined && { replaces }) },
      now,
    );
    if (applied.refusal === 'badInput') throw invalidInput(...(applied.faults ?? []));
    if (applied.refusal === 'changed') throw new ApiError(100361);
    if (applied.refusal !== undefined) throw new ApiError(100061);
    // The values are personal data, and the audit trail outlives the person's data.
    const about = {
      action: 'review.corrected',
      instanceId: id,
      item: document,
      details: { values: { fieldName } },
    } as const;
    await deps.audit.record(tx, { ...changedBy(context), ...about });
    return toPlainView(applied.instance, tenantId, now);
  });
}

function toCheck(row: CheckRow): Check {
  const { name, type, status } = row;
  return { name, type, status, ...detailsOf(row) };
}
