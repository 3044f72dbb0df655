import type { TenantReads } from '../../db/db.ts';
import { prepare } from '../../db/sql/statement.ts';
import { dataKeyColumn } from '../../secrets/data-key-column.ts';
import { type InstanceRow, instances } from './instance-row.ts';
import { openRow } from './instance-seal.ts';
import { instanceSubject } from './instance-subject.ts';
import type { StoredJourney } from './journeys.repository.ts';

type Joined = InstanceRow & {
  journey_revision: number | null;
  journey_state: string;
  journey_sealed: Uint8Array | null;
  journey_due_at: number | null;
  data_key: Uint8Array | null;
};

const JOURNEY = ['revision', 'state', 'sealed', 'due_at'] as const;
const { columns } = instances;
const BOTH = prepare<{ tenant_id: string; id: string }, Joined>(
  `SELECT ${columns.map((column) => `i.${column}`).join(', ')},
    ${JOURNEY.map((column) => `j.${column} AS journey_${column}`).join(', ')},
    ${dataKeyColumn(`'${instanceSubject('')}' || CAST(:id AS TEXT)`)} AS data_key
  FROM process_instances i LEFT JOIN journeys j ON j.tenant_id = i.tenant_id AND j.instance_id = :id
  WHERE i.tenant_id = :tenant_id AND i.id = :id`,
  [...columns, ...JOURNEY.map((column) => `journey_${column}`), 'data_key'],
);

export type InstanceJourney = { readonly row: InstanceRow; readonly journey: StoredJourney | undefined };

/** An instance with its journey, of one moment. Before it was opened there is no journey. */
export async function findInstanceJourney(db: TenantReads, id: string): Promise<InstanceJourney | undefined> {
  const joined = await BOTH.get(db, { id });
  if (!joined) return undefined;
  const { journey_revision, journey_state, journey_sealed, journey_due_at, data_key, ...row } = joined;
  const journey = journey_revision !== null && {
    instance_id: id,
    revision: journey_revision,
    state: journey_state,
    sealed: journey_sealed,
    due_at: journey_due_at,
    data_key,
  };
  return { row: await openRow(db, row), journey: journey || undefined };
}
