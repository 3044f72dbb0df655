import { type Erasable, REPLAYED_BY } from '../../erasure-log/replay-erasures.ts';
import { isGone } from '../../kernel/errors.ts';
import { lockChain } from '../instances/lock-chain.ts';
import { instancesAmong, oldestInstance } from './among-instances.repository.ts';
import type { Deletion } from './begin-erasure.ts';
import { type DeleteInstanceDeps, deleteInChain } from './delete-instance.ts';

/** Instances that a backup brought back. */
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
        // With its parent it may have gone already.
        if (await erase(id).catch(isGone)) erased += 1;
      }
      return erased;
    },
  };
}
