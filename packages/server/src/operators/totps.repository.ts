import type { TenantTx } from '../db/db.ts';
import { FOR_UPDATE } from '../db/sql/dialect.ts';
import { statement } from '../db/sql/statement.ts';
import { bytes, integer, type RowOf, table, text } from '../db/sql/table.ts';

/** The authenticator app of an operator. */
const totps = table('operator_totps', {
  tenant_id: text(),
  operator_id: text(),
  sealed: bytes(),
  last_step: integer(),
  created_at: integer(),
});
const { columns } = totps;
export type OperatorTotpRow = RowOf<typeof totps>;

const OF = 'WHERE tenant_id = :tenant_id AND operator_id = :operatorId';
const ADD = totps.insert();
const REMOVE = totps.delete(OF);

export const findTotp = totps.select(columns, OF).get;
export const findTotpForUpdate = totps.select(columns, `${OF} ${FOR_UPDATE}`).get;

/** Replaces an earlier app. */
export async function setTotp(tx: TenantTx, row: OperatorTotpRow): Promise<void> {
  await REMOVE.run(tx, { operatorId: row.operator_id });
  await ADD.run(tx, row);
}

export const useStep = statement(`UPDATE operator_totps SET last_step = :step ${OF}`).run;

export const removeTotp = REMOVE.changes;
