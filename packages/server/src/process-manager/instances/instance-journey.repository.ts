import type { TenantReads } from '../../db/db.ts';
import { prepare } from '../../db/sql/statement.ts';
import { dataKeyColumn } from '../../secrets/data-key-column.ts';
import { type InstanceRow, instances } from './instance-row.ts';
import { openRow } from './instance-seal.ts';
import { instanceSubject } from './instance-subject.ts';
import type { StoredJourney } from './journeys.repository.ts';
import type { StepView } from './step-views.table.ts';

type JoinedRow = InstanceRow & {
  journey_revision: number | null;
  journey_state: string;
  journey_sealed: Uint8Array | null;
  journey_due_at: number | null;
  data_key: Uint8Array | null;
  step_views: string | null;
  image_names: string | null;
};

const JOURNEY = ['revision', 'state', 'sealed', 'due_at'] as const;
const { columns } = instances;
const BOTH = prepare<{ tenant_id: string; id: string }, JoinedRow>(
  `SELECT ${columns.map((column) => `i.${column}`).join(', ')},
    ${JOURNEY.map((column) => `j.${column} AS journey_${column}`).join(', ')},
    ${dataKeyColumn(`'${instanceSubject('')}' || CAST(:id AS TEXT)`)} AS data_key,
    (SELECT string_agg(v.step || ' ' || v.attempt || ' ' || v.seen_at || ' ' || v.told_left || ' '
      || coalesce(CAST(v.left_at AS TEXT), '') || ' ' || coalesce(CAST(v.ended_at AS TEXT), ''), ',')
      FROM step_views v WHERE v.tenant_id = :tenant_id AND v.instance_id = :id) AS step_views,
    (SELECT string_agg(m.step || ' ' || m.attempt || ' ' || m.name, ',' ORDER BY m.created_at, m.step, m.name)
      FROM instance_images m WHERE m.tenant_id = :tenant_id AND m.instance_id = :id) AS image_names
  FROM process_instances i LEFT JOIN journeys j ON j.tenant_id = i.tenant_id AND j.instance_id = :id
  WHERE i.tenant_id = :tenant_id AND i.id = :id`,
  [...columns, ...JOURNEY.map((column) => `journey_${column}`), 'data_key', 'step_views', 'image_names'],
);

export type InstanceJourney = {
  readonly row: InstanceRow;
  readonly journey: StoredJourney | undefined;
  readonly dataKey: Uint8Array | null;
  /** The steps that the end user has seen. */
  readonly views: ReadonlyMap<string, StepView>;
  /** In the order in which they were uploaded. */
  readonly images: readonly ImageName[];
};

export type ImageName = { readonly step: string; readonly attempt: number; readonly name: string };

/** An instance with its journey, read in one statement. Before the instance is opened there is no journey. */
export async function findInstanceJourney(db: TenantReads, id: string): Promise<InstanceJourney | undefined> {
  const joined = await BOTH.get(db, { id });
  if (!joined) return undefined;
  const { journey_revision, journey_state, journey_sealed, journey_due_at, ...rest } = joined;
  const { data_key, step_views, image_names, ...row } = rest;
  const journey = journey_revision !== null && {
    instance_id: id,
    revision: journey_revision,
    state: journey_state,
    sealed: journey_sealed,
    due_at: journey_due_at,
    data_key,
  };
  return {
    row: await openRow(db, row),
    journey: journey || undefined,
    dataKey: data_key,
    views: new Map(step_views?.split(',').map((text) => viewIn(id, text))),
    images: image_names?.split(',').map(imageIn) ?? [],
  };
}

/** Parses what the statement writes. No step id and no image name has a space or a comma. */
function viewIn(instanceId: string, text: string): [step: string, view: StepView] {
  const [step = '', attempt, seenAt, toldLeft, leftAt, endedAt] = text.split(' ');
  const view = {
    instance_id: instanceId,
    step,
    attempt: Number(attempt),
    seen_at: Number(seenAt),
    left_at: leftAt ? Number(leftAt) : null,
    told_left: Number(toldLeft),
    ended_at: endedAt ? Number(endedAt) : null,
  };
  return [step, view];
}

function imageIn(text: string): ImageName {
  const [step = '', attempt, name = ''] = text.split(' ');
  return { step, attempt: Number(attempt), name };
}
