import { api, MAX_INSTANCE_LINKS } from '@grove/contract';
import type { Audit } from '../../audit/audit.ts';
import { toDtm } from '../../kernel/clock.ts';
import { implement } from '../../kernel/implement.ts';
import { ensureUnredacted, ensureVisible } from '../instances/ensure-visible.ts';
import { findInstance, findInstanceViews, parentsOf } from '../instances/process-instances.repository.ts';
import { type SharedRow, sharedWith } from './links.repository.ts';

/** Shows which other instances share something with one. */
export function linkHandlers({ audit }: { audit: Pick<Audit, 'noteRead'> }) {
  return implement(api.instanceLinks, {
    async list(context, { params }) {
      const { db } = context;
      const instance = ensureUnredacted(ensureVisible(context, await findInstance(db, params.processInstanceId)));
      const shared = Map.groupBy(await sharedWith(db, { instanceId: instance.id }), ({ instance_id }) => instance_id);
      const ids = [...shared.keys()].slice(0, MAX_INSTANCE_LINKS);
      const parents = await parentsOf(db, ids);
      // A child is part of its parent's journey: the same person in both says nothing.
      const family = new Set([instance.id, instance.parent_id ?? instance.id]);
      const others = ids.filter((id) => !family.has(id) && !family.has(parents.get(id) ?? ''));
      const links = (await findInstanceViews(db, others)).map((row) => ({
        processInstanceId: row.id,
        processDefnName: row.process_defn_name,
        status: row.status,
        createdDtm: toDtm(row.created_at),
        ...(row.first_name !== null && { firstName: row.first_name }),
        ...(row.last_name !== null && { lastName: row.last_name }),
        ...inCommon(shared.get(row.id) ?? []),
      }));
      audit.noteRead(context, { action: 'instance.linksRead', instanceId: instance.id });
      return { links };
    },
  });
}

function inCommon(rows: readonly SharedRow[]) {
  const score = rows.find((row) => row.score !== null)?.score;
  return { shares: [...new Set(rows.map(({ kind }) => kind))], ...(typeof score === 'number' && { score }) };
}
