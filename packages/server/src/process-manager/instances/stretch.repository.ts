import type { TenantReads } from '../../db/db.ts';
import { query } from '../../db/sql/statement.ts';
import type { Environment } from '../../kernel/environment.ts';
import { STRETCH } from '../../kernel/find-in-stretches.ts';
import { boundBehind } from '../../kernel/id-range.ts';

const LAST = query<{ id: string }>()(`SELECT id FROM process_instances
  WHERE tenant_id = :tenant_id AND environment = :environment AND id > :after AND id < :below
  ORDER BY id LIMIT 1 OFFSET ${STRETCH - 1}`);

export type Stretch = { readonly last: string | undefined; readonly below: string };
type Part = { readonly environment: Environment; readonly after: string; readonly below: string };

/**
 * The part of the stretch after `after`: its last instance, undefined if fewer remain before `below`, and the id before which
 * it ends. A statement has this one upper bound: of two, SQLite reads an index up to either of them.
 */
export async function stretchOf(db: TenantReads, part: Part): Promise<Stretch> {
  const last = (await LAST.get(db, part))?.id;
  return { last, below: last === undefined ? part.below : boundBehind(last) };
}
