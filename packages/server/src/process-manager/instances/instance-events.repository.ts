import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import type { Paging } from '../../kernel/pages.ts';
import type { InstanceStatus } from '../engine/state.ts';
import type { InstanceRow } from './process-instances.repository.ts';

/** What happened in an instance. Nothing of a person is written here. */
export type NewEvent = {
  type: string;
  status: InstanceStatus;
  step?: string;
  data?: Readonly<Record<string, unknown>>;
};

export type EventRow = {
  sequence: number;
  type: string;
  at: number;
  status: InstanceStatus;
  step: string | null;
  /** A JSON object. */
  data: string | null;
};

const ADD = sql(`INSERT INTO instance_events (tenant_id, instance_id, sequence, type, at, status, step, data)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`);
const SEQUENCE = sql('UPDATE process_instances SET sequence = $3 WHERE tenant_id = $1 AND id = $2');
const PAGES = {
  ASC: sql(`SELECT sequence, type, at, status, step, data FROM instance_events
    WHERE tenant_id = $1 AND instance_id = $2 ORDER BY sequence ASC LIMIT $3 + 0 OFFSET $4 + 0`),
  DESC: sql(`SELECT sequence, type, at, status, step, data FROM instance_events
    WHERE tenant_id = $1 AND instance_id = $2 ORDER BY sequence DESC LIMIT $3 + 0 OFFSET $4 + 0`),
} as const;

/** Numbered on from the row's sequence, without gaps. The caller has locked the row, and goes on with the one returned. */
export async function appendEvents(
  tx: TenantTx,
  row: InstanceRow,
  events: readonly NewEvent[],
  now: number,
): Promise<InstanceRow> {
  if (events.length === 0) return row;
  const sequence = row.sequence + events.length;
  await addEvents(tx, row, events, now);
  await tx.run(SEQUENCE, [tx.tenantId, row.id, sequence]);
  return { ...row, sequence };
}

/** For a row that is stored with its new sequence anyway. */
export async function addEvents(
  tx: TenantTx,
  { id, sequence }: Pick<InstanceRow, 'id' | 'sequence'>,
  events: readonly NewEvent[],
  now: number,
): Promise<void> {
  for (const [at, { type, status, step = null, data }] of events.entries()) {
    const text = data ? JSON.stringify(data) : null;
    await tx.run(ADD, [tx.tenantId, id, sequence + at + 1, type, now, status, step, text]);
  }
}

export function pageEvents(
  db: TenantReads,
  instanceId: string,
  { size, offset, orderBy }: Paging,
): Promise<EventRow[]> {
  const statement = orderBy.startsWith('sequence DESC') ? PAGES.DESC : PAGES.ASC;
  return db.all<EventRow>(statement, [db.tenantId, instanceId, size, offset]);
}
