import { type Reads, sql, type Writes } from '../db/db.ts';

export type TenantRow = { id: string; name: string; status: 'ACTIVE'; created_at: number };

const ALL = sql('SELECT id, name, status, created_at FROM tenants ORDER BY id LIMIT 10000');
const ONE = sql('SELECT id, name, status, created_at FROM tenants WHERE id = $1');
const ADD = sql('INSERT INTO tenants (id, name, status, created_at) VALUES ($1, $2, $3, $4)');

export function listTenants(db: Reads): Promise<TenantRow[]> {
  return db.all<TenantRow>(ALL, []);
}

export function findTenant(db: Reads, id: string): Promise<TenantRow | undefined> {
  return db.get<TenantRow>(ONE, [id]);
}

export async function addTenant(tx: Writes, row: TenantRow): Promise<void> {
  await tx.run(ADD, [row.id, row.name, row.status, row.created_at]);
}
