import type { TenantReads, TenantTx } from '../../db/db.ts';
import { PAGE } from '../../db/sql/dialect.ts';
import { query, statement } from '../../db/sql/statement.ts';
import type { Paging } from '../../kernel/pages.ts';
import type { InstanceStatus } from '../engine/state.ts';
import type { InstanceRow } from './process-instances.repository.ts';

/** The events of an instance. They hold no personal data. */
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

const ADD = statement(`INSERT INTO instance_events (tenant_id, instance_id, sequence, type, at, status, step, data)
  VALUES (:tenant_id, :id, :sequence, :type, :now, :status, :step, :text)`);
const OF_INSTANCE = `SELECT sequence, type, at, status, step, data FROM instance_events
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId` as const;
const PAGES = {
  ASC: query<EventRow>()(`${OF_INSTANCE} ORDER BY sequence ASC ${PAGE}`),
  DESC: query<EventRow>()(`${OF_INSTANCE} ORDER BY sequence DESC ${PAGE}`),
} as const;

/** Numbered on from the row's sequence, without gaps. The caller has locked the row, and stores its new sequence. */
export async function addEvents(
  tx: TenantTx,
  { id, sequence }: Pick<InstanceRow, 'id' | 'sequence'>,
  events: readonly NewEvent[],
  now: number,
): Promise<void> {
  ADD.sendAll(
    tx,
    events.map(({ type, status, step = null, data }, at) => {
      const text = data ? JSON.stringify(data) : null;
      return { id, sequence: sequence + at + 1, type, now, status, step, text };
    }),
  );
}

export const setSequence = statement(
  'UPDATE process_instances SET sequence = :sequence WHERE tenant_id = :tenant_id AND id = :id',
).send;

export function pageEvents(
  db: TenantReads,
  instanceId: string,
  { size, offset, orderBy }: Paging,
): Promise<EventRow[]> {
  const page = orderBy.startsWith('sequence DESC') ? PAGES.DESC : PAGES.ASC;
  return page.all(db, { instanceId, limit: size, offset });
}
