import type { TenantReads, TenantTx } from '../../db/db.ts';
import { PAGE } from '../../db/sql/dialect.ts';
import { statement } from '../../db/sql/statement.ts';
import { integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Paging } from '../../kernel/pages.ts';
import type { InstanceStatus } from '../engine/state.ts';
import type { InstanceRow } from './process-instances.repository.ts';

export type NewEvent = {
  type: string;
  status: InstanceStatus;
  step?: string;
  data?: Readonly<Record<string, unknown>>;
};

const instanceEvents = table('instance_events', {
  tenant_id: text(),
  instance_id: text(),
  sequence: integer(),
  type: text(),
  at: integer(),
  status: text<InstanceStatus>(),
  step: optional(text()),
  /** A JSON object. */
  data: optional(text()),
});
export type EventRow = Omit<RowOf<typeof instanceEvents>, 'instance_id'>;

const ADD = instanceEvents.insert();
const EVENT_COLUMNS = ['sequence', 'type', 'at', 'status', 'step', 'data'] as const;
const OF_INSTANCE = 'WHERE tenant_id = :tenant_id AND instance_id = :instanceId';
const PAGES = {
  ASC: instanceEvents.select(EVENT_COLUMNS, `${OF_INSTANCE} ORDER BY sequence ASC ${PAGE}`),
  DESC: instanceEvents.select(EVENT_COLUMNS, `${OF_INSTANCE} ORDER BY sequence DESC ${PAGE}`),
} as const;

/**
 * Numbers the events from the row's sequence, without gaps. The caller has locked the row, and stores its new sequence.
 */
export async function addEvents(
  tx: TenantTx,
  { id, sequence }: Pick<InstanceRow, 'id' | 'sequence'>,
  events: readonly NewEvent[],
  now: number,
): Promise<void> {
  ADD.sendAll(
    tx,
    events.map(({ type, status, step = null, data: content }, at) => {
      const data = content ? JSON.stringify(content) : null;
      return { instance_id: id, sequence: sequence + at + 1, type, at: now, status, step, data };
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

const TERMINATED = instanceEvents.select(
  ['data'],
  `${OF_INSTANCE} AND type = 'instance.terminated' ORDER BY sequence DESC LIMIT 1`,
);

/** Why an instance was terminated: `timeout`, `abandoned` or `cancelled`. */
export async function endReason(db: TenantReads, instanceId: string): Promise<string | undefined> {
  const row = await TERMINATED.get(db, { instanceId });
  return row?.data ? (JSON.parse(row.data) as { reason?: string }).reason : undefined;
}
