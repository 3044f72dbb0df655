import { api } from '@grove/contract';
import { getPersonalSeal } from '../../db/db.ts';
import { toDtm } from '../../kernel/clock.ts';
import { EVERY_ID } from '../../kernel/id-range.ts';
import { implement } from '../../kernel/implement.ts';
import { firstIdOf } from '../../kernel/moment-of.ts';
import { paging, toPage } from '../../kernel/pages.ts';
import { findInstanceViews } from '../instances/process-instances.repository.ts';
import { commentPlace } from './round.ts';
import { pageClosed } from './verdicts.repository.ts';

/** The decisions of reviewers. */
export function closedReviewHandlers() {
  return implement(api.closedReviews, {
    async list({ db, principal }, { query }) {
      const page = paging(query, {});
      const { environment } = principal;
      const filter = {
        environment,
        verdict: query.verdict,
        reviewer: query.reviewer || undefined,
        definitionName: query.processDefnName || undefined,
        from: firstIdOf(query.startDateTime || undefined, '/query/startDateTime') ?? EVERY_ID.from,
        below: firstIdOf(query.endDateTime || undefined, '/query/endDateTime') ?? EVERY_ID.below,
      };
      const { rows, total } = await pageClosed(db, filter, page);
      const ids = [...new Set(rows.map(({ instance_id }) => instance_id))];
      const instances = new Map((await findInstanceViews(db, ids)).map((row) => [row.id, row]));
      const seal = rows.length > 0 ? await getPersonalSeal(db) : undefined;
      const content = rows.flatMap((row) => {
        const instance = instances.get(row.instance_id);
        if (!instance) return [];
        const { first_name, last_name, process_defn_name } = instance;
        return {
          processInstanceId: instance.id,
          processDefnName: process_defn_name,
          ...(first_name !== null && { firstName: first_name }),
          ...(last_name !== null && { lastName: last_name }),
          verdict: row.verdict,
          reviewer: row.reviewer,
          decidedDtm: toDtm(row.at),
          ...(row.sealed && seal && { comment: seal.open(commentPlace(row.id), row.sealed) }),
          waitedMilliseconds: Math.max(0, row.at - row.entered_at),
        };
      });
      return toPage(content, total, page);
    },
  });
}
