import { type Reads, sql, type Writes } from '../db/db.ts';
import { isTenantId, type TenantId } from '../kernel/ids.ts';

export type TenantRow = { id: string; name: string; status: 'ACTIVE'; created_at: number };

const PAGE_SIZE = 1000;
const PAGE = sql(`SELECT id, name, status, created_at FROM tenants WHERE id > $1 ORDER BY id LIMIT ${PAGE_SIZE}`);
const ONE = sql('SELECT id, name, status, created_at FROM tenants WHERE id = $1');
const ADD = sql('INSERT INTO tenants (id, name, status, created_at) VALUES ($1, $2, $3, $4)');

/** Every tenant, in the order of the ids, however many there are; a page of them is in memory at a time. */
export async function* everyTenant(db: Reads): AsyncGenerator<TenantRow> {
  for (let after = '', more = true; more; ) {
    const page = await db.all<TenantRow>(PAGE, [after]);
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
  return db.get<TenantRow>(ONE, [id]);
}

export async function addTenant(tx: Writes, row: TenantRow): Promise<void> {
  await tx.run(ADD, [row.id, row.name, row.status, row.created_at]);
}
