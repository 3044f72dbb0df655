import { sql, type TenantReads, type TenantTx } from './db.ts';

/** Totals of lists, kept in the transaction that changes the list. */
const ADD = sql(`INSERT INTO counters (tenant_id, name, value) VALUES ($1, $2, $3)
  ON CONFLICT (tenant_id, name) DO UPDATE SET value = counters.value + excluded.value`);
const READ = sql('SELECT value FROM counters WHERE tenant_id = $1 AND name = $2');

export async function addToCounter(tx: TenantTx, name: string, by: number): Promise<void> {
  await tx.run(ADD, [tx.tenantId, name, by]);
}

export async function readCounter(db: TenantReads, name: string): Promise<number> {
  return (await db.get<{ value: number }>(READ, [db.tenantId, name]))?.value ?? 0;
}
