import type { TenantTx } from '../../db/db.ts';
import { statement } from '../../db/sql/statement.ts';
import { type Erasable, REPLAYED_BY } from '../../erasure-log/replay-erasures.ts';
import { isGone } from '../../kernel/errors.ts';
import type { Vault } from '../../secrets/vault.ts';
import { instanceSubject } from '../instances/instance-subject.ts';
import { discountAll } from '../instances/instance-totals.ts';
import { lockChain } from '../instances/lock-chain.ts';
import type { NotifyEvents } from '../instances/notify-events.ts';
import { type InstanceRow, removeInstances } from '../instances/process-instances.repository.ts';
import type { Drive } from '../runtime/drive.ts';
import { instancesAmong, oldestInstance } from './among-instances.repository.ts';
import type { BeginErasure, Deletion } from './begin-erasure.ts';
import { type DeletedRow, lockDescendants } from './due.repository.ts';
import { forgetParameters } from './forget-parameters.ts';
import { DELETING_TEXTS } from './instance-parts.ts';

export type DeleteInstanceDeps = {
  vault: Pick<Vault, 'destroySubjects'>;
  drive: Pick<Drive, 'apply'>;
  beginErasure: BeginErasure;
  notifyEvents: NotifyEvents;
};

const REMOVALS = DELETING_TEXTS.map((text) => statement(text));

/** Deletes an instance and notifies its parent. The caller has locked the chain down to the row. */
export async function deleteInChain(
  tx: TenantTx,
  row: InstanceRow,
  deletion: Deletion,
  deps: DeleteInstanceDeps,
): Promise<void> {
  await deleteInstances(tx, [row], deletion, deps);
  if (row.parent_id === null) return;
  // Otherwise the parent's journey would wait for ever.
  const childEnd = { type: 'childEnded', childId: row.id, status: 'COMPLETED_TERMINATED' } as const;
  await deps.drive.apply(tx, row.parent_id, childEnd, deletion.at);
}

/**
 * Deletes instances with their children and all data of their end users. After the commit, data that was sealed for them
 * cannot be opened any more, even where it still exists: a job removes the blobs, and copies of the database expire. The
 * caller has locked the rows.
 */
export async function deleteInstances(
  tx: TenantTx,
  roots: readonly DeletedRow[],
  deletion: Deletion,
  deps: DeleteInstanceDeps,
): Promise<void> {
  const rows = [...(await lockDescendants(tx, roots)), ...roots];
  const { at, reason } = deletion;
  // In parallel, so that PostgreSQL gets the queries of all listeners together.
  await Promise.all(
    rows.map((row) => {
      // The event has the last sequence number, although the events before it are deleted.
      const event = { type: 'instance.deleted', status: row.status, data: { reason } };
      return deps.notifyEvents(tx, row, [event], { before: row.sequence, now: at });
    }),
  );
  await deps.beginErasure(tx, rows, deletion);
  await deps.vault.destroySubjects(
    tx,
    rows.map(({ id }) => instanceSubject(id)),
  );
  for (const removal of REMOVALS) removal.send(tx, { ids: rows.map(({ id }) => id) });
  await removeInstances(tx, rows, deletion);
  const tokenIds = new Set(rows.flatMap(({ token_id }) => token_id ?? []));
  await forgetParameters(tx, [...tokenIds], at);
  // The totals come last, because a creation locks the row of its token before that of the total (deadlock).
  await discountAll(tx, rows);
}

/** Repeats the deletion of instances that a backup brought back. */
export function erasableInstances(deps: DeleteInstanceDeps): Erasable {
  return {
    kind: 'instance',
    oldest: oldestInstance,
    async eraseAgain(db, ids, at) {
      const deletion: Deletion = { by: REPLAYED_BY, reason: 'REQUEST', at };
      const erase = (id: string) =>
        db.write(async (tx) => {
          const row = (await lockChain(tx, id)).at(-1);
          if (row) await deleteInChain(tx, row, deletion, deps);
          return row !== undefined;
        });
      let erased = 0;
      for (const id of await instancesAmong(db, ids)) {
        // It may have been deleted with its parent already.
        if (await erase(id).catch(isGone)) erased += 1;
      }
      return erased;
    },
  };
}
