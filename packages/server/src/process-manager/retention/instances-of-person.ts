import { isGone } from '../../kernel/errors.ts';
import { externalIdsOf, type PersonItem, type PersonSource, textsOf } from '../../kernel/person-source.ts';
import { lockChain } from '../instances/lock-chain.ts';
import type { InstanceRow } from '../instances/process-instances.repository.ts';
import type { Drive } from '../runtime/drive.ts';
import { countOfEnvironment, instancesAfter } from './among-instances.repository.ts';
import { type DeleteInstanceDeps, deleteInChain } from './delete-instance.ts';

/** The data of instances about a person: parameters, names, answers of forms and readings of documents. */
export function instancesOfPerson(deps: DeleteInstanceDeps & { drive: Pick<Drive, 'lookAt'> }): PersonSource {
  return {
    kind: 'processInstance',
    count: (db, environment) => countOfEnvironment(db, { environment }),
    async page(db, environment, after, limit) {
      const items: PersonItem[] = [];
      for (const row of await instancesAfter(db, environment, after, limit)) {
        // An instance that was deleted meanwhile cannot be opened any more.
        const snapshot = await deps.drive.lookAt(db, row.id).catch(() => undefined);
        items.push(itemOf(row, snapshot?.state.data));
      }
      return items;
    },
    show: async () => undefined,
    async erase(db, id, { by, caller, at }) {
      const erase = db.write(async (tx) => {
        const row = (await lockChain(tx, id)).at(-1);
        if (row) await deleteInChain(tx, row, { by, ...caller, reason: 'REQUEST', at }, deps);
        return true;
      });
      // It may have been deleted with its parent already.
      await erase.catch(isGone);
    },
  };
}

function itemOf(row: InstanceRow, data: object | undefined): PersonItem {
  const parameters = JSON.parse(row.parameters) as Record<string, string>;
  const own = [row.email, row.phone_number, row.name].filter((each) => each !== null);
  return {
    id: row.id,
    parameters,
    externalIds: externalIdsOf(parameters),
    texts: [...own, ...Object.values(parameters), ...textsOf(data)],
  };
}
