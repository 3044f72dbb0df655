import type { Reads } from '../db/db.ts';
import { integer, type RowOf, table, text } from '../db/sql/table.ts';
import { isTenantId, type TenantId } from '../kernel/ids.ts';

/** A deletion cannot be cancelled: the tenant stays `DELETING` until it is gone. */
export type TenantStatus = 'ACTIVE' | 'SUSPENDED' | 'DELETING';
const tenants = table('tenants', { id: text(), name: text(), status: text<TenantStatus>(), created_at: integer() });
const { columns } = tenants;
export type TenantRow = RowOf<typeof tenants>;

const PAGE_SIZE = 1000;
const PAGE = tenants.select(columns, `WHERE id > :after ORDER BY id LIMIT ${PAGE_SIZE}`);

const LIKE = "WHERE (id LIKE :pattern ESCAPE '\\' OR lower(name) LIKE :pattern ESCAPE '\\')";
const SEARCH = tenants.select(columns, `${LIKE} ORDER BY id LIMIT :size OFFSET :offset`);
const COUNT = tenants.count(LIKE);

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
const NOT_ACTIVE = tenants.select(['id'], `WHERE status <> 'ACTIVE' LIMIT ${MAX_NOT_ACTIVE}`);

export async function notActiveTenants(db: Reads): Promise<string[]> {
  return (await NOT_ACTIVE.all(db, {})).map(({ id }) => id);
}

export const setTenantStatus = tenants.update(['status'], 'WHERE id = :id').run;

/** Removes the row of a tenant. No other row may refer to it. */
export const removeTenant = tenants.delete('WHERE id = :id').run;

/** Every tenant, in the order of the ids, with one page in memory at a time. */
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

/** All tenants, for the operator of the installation. */
export function listTenants(db: Reads): Promise<TenantRow[]> {
  return Array.fromAsync(everyTenant(db));
}

export const findTenant = tenants.select(columns, 'WHERE id = :id').get;
export const addTenant = tenants.insert().run;
