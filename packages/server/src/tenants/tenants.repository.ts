import type { Reads } from '../db/db.ts';
import { countOf, query, statement } from '../db/sql/statement.ts';
import { isTenantId, type TenantId } from '../kernel/ids.ts';

/** A tenant that is being deleted stays so until it is gone: the deletion can only go on. */
export type TenantStatus = 'ACTIVE' | 'SUSPENDED' | 'DELETING';
export type TenantRow = { id: string; name: string; status: TenantStatus; created_at: number };

const PAGE_SIZE = 1000;
const PAGE = query<TenantRow>()(
  `SELECT id, name, status, created_at FROM tenants WHERE id > :after ORDER BY id LIMIT ${PAGE_SIZE}`,
);

const LIKE = "(id LIKE :pattern ESCAPE '\\' OR lower(name) LIKE :pattern ESCAPE '\\')";
const SEARCH = query<TenantRow>()(
  `SELECT id, name, status, created_at FROM tenants WHERE ${LIKE} ORDER BY id LIMIT :size OFFSET :offset`,
);
const COUNT = countOf(`FROM tenants WHERE ${LIKE}`);

/** A page of the tenants whose id or name is like the pattern. */
export async function searchTenants(
  db: Reads,
  pattern: string,
  { size, offset }: { size: number; offset: number },
): Promise<{ rows: TenantRow[]; total: number }> {
  const rows = await SEARCH.all(db, { pattern, size, offset });
  return { rows, total: await COUNT(db, { pattern }) };
}

const MAX_NOT_ACTIVE = 100_000;
const NOT_ACTIVE = query<{ id: string }>()(`SELECT id FROM tenants WHERE status <> 'ACTIVE' LIMIT ${MAX_NOT_ACTIVE}`);

export async function notActiveTenants(db: Reads): Promise<string[]> {
  return (await NOT_ACTIVE.all(db, {})).map(({ id }) => id);
}

export const setTenantStatus = query<TenantRow>()('UPDATE tenants SET status = :status WHERE id = :id').run;

/** Nothing may refer to it any more. */
export const removeTenant = statement('DELETE FROM tenants WHERE id = :id').run;

/** Every tenant, in the order of the ids, however many there are; a page of them is in memory at a time. */
export async function* everyTenant(db: Reads): AsyncGenerator<TenantRow> {
  for (let after = '', more = true; more; ) {
    const page = await PAGE.all(db, { after });
    yield* page;
    after = page.at(-1)?.id ?? '';
    more = page.length === PAGE_SIZE;
  }
}

export async function* everyTenantId(db: Reads): AsyncGenerator<TenantId> {
  for await (const { id } of everyTenant(db)) if (isTenantId(id)) yield id;
}

/** For the operator, who made them: none is left out. */
export function listTenants(db: Reads): Promise<TenantRow[]> {
  return Array.fromAsync(everyTenant(db));
}

export const findTenant = query<TenantRow>()('SELECT id, name, status, created_at FROM tenants WHERE id = :id').get;

export const addTenant = query<TenantRow>()(
  'INSERT INTO tenants (id, name, status, created_at) VALUES (:id, :name, :status, :created_at)',
).run;
