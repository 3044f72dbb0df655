import { api } from '@grove/contract';
import { fromDtm, toDtm } from '../../kernel/clock.ts';
import { invalidInput } from '../../kernel/errors.ts';
import { implement } from '../../kernel/implement.ts';
import { paging, toPage } from '../../kernel/pages.ts';
import { sealOf } from '../instances/instance-seal.ts';
import { findInstanceViews } from '../instances/process-instances.repository.ts';
import { commentPlace } from './round.ts';
import { pageClosed } from './verdicts.repository.ts';

/** What reviewers decided. */
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
        from: boundOf(query.startDateTime, '/query/startDateTime'),
        below: boundOf(query.endDateTime, '/query/endDateTime'),
      };
      const { rows, total } = await pageClosed(db, filter, page);
      const ids = [...new Set(rows.map(({ instance_id }) => instance_id))];
      const instances = new Map((await findInstanceViews(db, ids)).map((row) => [row.id, row]));
      const seal = rows.length > 0 ? await sealOf(db) : undefined;
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

function boundOf(dtm: string | undefined, pointer: string): number | undefined {
  if (dtm === undefined || dtm === '') return undefined;
  const at = fromDtm(dtm);
  if (Number.isNaN(at)) throw invalidInput({ pointer, message: 'is not a valid date-time' });
  return at;
}
