import type { Audit } from '../../audit/audit.ts';
import { getPersonalSeal } from '../../db/db.ts';
import type { Context } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { ensureUnredacted } from '../instances/ensure-visible.ts';
import { lockVisible } from '../instances/lock-chain.ts';
import type { Drive } from '../runtime/drive.ts';
import { nameOf, record } from './lock-review.ts';
import { commentPlace } from './round.ts';
import { addVerdict } from './verdicts.repository.ts';

type Deps = { drive: Pick<Drive, 'apply'>; audit: Pick<Audit, 'record'> };

/** Returns a decided instance to the reviewers. The list of decisions shows who reopened it and why. */
export async function reopenReview(
  deps: Deps,
  context: Context,
  id: string,
  { comment, reviewer }: { comment: string; reviewer?: string },
): Promise<void> {
  const { now, principal } = context;
  const name = nameOf(context, reviewer);
  await context.db.write(async (tx) => {
    const row = ensureUnredacted(await lockVisible(context, tx, id));
    // Its parent has continued with the result.
    if (row.parent_id !== null) throw new ApiError(100362);
    const { refusal } = await deps.drive.apply(tx, id, { type: 'reopen' }, now);
    if (refusal !== undefined) throw new ApiError(100362);
    const verdictId = newId(now);
    await addVerdict(tx, {
      id: verdictId,
      instance_id: id,
      environment: row.environment,
      definition_id: row.definition_id,
      at: now,
      entered_at: now,
      verdict: 'REOPENED',
      reviewer: name,
      caller_id: principal.callerId,
      decides: 1,
      sealed: (await getPersonalSeal(tx)).seal(commentPlace(verdictId), comment),
    });
    await record(deps.audit, context, tx, 'review.reopened', id);
  });
}
