import type { TenantReads, TenantTx } from '../../db/db.ts';
import { query, statement } from '../../db/sql/statement.ts';
import type { Erasable } from '../../erasure-log/replay-erasures.ts';
import { externalIdsOf, type PersonSource } from '../../kernel/person-source.ts';
import {
  countTokens,
  findToken,
  findTokenForUpdate,
  removeTokens,
  type TokenRow,
} from './process-tokens.repository.ts';

const AFTER = query<{
  id: string;
}>()(`SELECT id FROM process_tokens WHERE tenant_id = :tenant_id AND environment = :environment AND id > :after
  ORDER BY id LIMIT :limit + 0`);
const FORGET =
  statement(`UPDATE process_tokens SET parameters = '{}', sealed = NULL, name = :name, name_folded = :name_folded, description = NULL,
  last_updated_at = :at, last_updated_by = :by WHERE tenant_id = :tenant_id AND id = :id`);
const OLDEST = query<{ at: number | null }>()(
  'SELECT min(created_at) AS at FROM process_tokens WHERE tenant_id = :tenant_id',
);
const oldest = async (db: TenantReads) => (await OLDEST.get(db, {}))?.at ?? undefined;

/** Erases the parameters and the name of a token, which may be personal. The token stays, because it may serve others. */
export function tokensOfPerson(): PersonSource {
  return {
    kind: 'processToken',
    count: countTokens,
    async page(db, environment, after, limit) {
      const ids = await AFTER.all(db, { environment, after, limit });
      const rows = await Promise.all(ids.map(({ id }) => findToken(db, id)));
      return rows.flatMap((row) => (row ? [itemOf(row)] : []));
    },
    async show(db, id) {
      const row = await findToken(db, id);
      return row && { id, name: row.name, description: row.description ?? undefined, parameters: parametersOf(row) };
    },
    async erase(db, id, { by, at }) {
      await db.write((tx) => forget(tx, id, by, at));
    },
  };
}

/** Repeats the erasure of parameters that a backup brought back. */
export function erasableTokens(by: string): Erasable {
  return {
    kind: 'process-token',
    oldest,
    async eraseAgain(db, ids, at) {
      let erased = 0;
      for (const id of ids) {
        const row = await findToken(db, id);
        if (!row || row.name === erasedName(id)) continue;
        await db.write((tx) => forget(tx, id, by, at));
        erased += 1;
      }
      return erased;
    },
  };
}

/** Repeats the deletion of tokens that a backup brought back. */
export function deletedTokens(): Erasable {
  return {
    kind: 'deleted-process-token',
    oldest,
    async eraseAgain(db, ids) {
      let erased = 0;
      for (const id of ids) {
        await db.write(async (tx) => {
          const row = await findTokenForUpdate(tx, id);
          if (!row) return;
          await removeTokens(tx, [row]);
          erased += 1;
        });
      }
      return erased;
    },
  };
}

const erasedName = (id: string) => `Erased ${id}`;

async function forget(tx: TenantTx, id: string, by: string, at: number): Promise<void> {
  await FORGET.run(tx, { id, name: erasedName(id), name_folded: erasedName(id).toLowerCase(), at, by });
}

const parametersOf = (row: TokenRow) => JSON.parse(row.parameters) as Record<string, string>;

function itemOf(row: TokenRow) {
  const parameters = parametersOf(row);
  const texts = [row.name, row.description ?? '', ...Object.values(parameters)];
  return { id: row.id, parameters, externalIds: externalIdsOf(parameters), texts };
}
