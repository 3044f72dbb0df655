import type { Reads, Writes } from '../db/db.ts';
import { query, statement } from '../db/sql/statement.ts';
import { isTenantId, type TenantId } from '../kernel/ids.ts';

export type TenantRow = { id: string; name: string; status: 'ACTIVE'; created_at: number };

const PAGE_SIZE = 1000;
const PAGE = query<TenantRow>()(
  `SELECT id, name, status, created_at FROM tenants WHERE id > :after ORDER BY id LIMIT ${PAGE_SIZE}`,
);
const ONE = query<TenantRow>()('SELECT id, name, status, created_at FROM tenants WHERE id = :id');
const ADD = statement('INSERT INTO tenants (id, name, status, created_at) VALUES (:id, :name, :status, :created_at)');

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

export function findTenant(db: Reads, id: string): Promise<TenantRow | undefined> {
  return ONE.get(db, { id });
}

export async function addTenant(tx: Writes, row: TenantRow): Promise<void> {
  await ADD.run(tx, row);
}
