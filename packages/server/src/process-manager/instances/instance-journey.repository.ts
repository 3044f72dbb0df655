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
  shown_steps: string | null;
  image_names: string | null;
};

const JOURNEY = ['revision', 'state', 'sealed', 'due_at'] as const;
const { columns } = instances;
const BOTH = prepare<{ tenant_id: string; id: string }, Joined>(
  `SELECT ${columns.map((column) => `i.${column}`).join(', ')},
    ${JOURNEY.map((column) => `j.${column} AS journey_${column}`).join(', ')},
    ${dataKeyColumn(`'${instanceSubject('')}' || CAST(:id AS TEXT)`)} AS data_key,
    (SELECT string_agg(v.step || ' ' || v.attempt, ',') FROM step_views v WHERE v.tenant_id = :tenant_id
      AND v.instance_id = :id AND v.left_at IS NULL) AS shown_steps,
    (SELECT string_agg(m.step || ' ' || m.attempt || ' ' || m.name, ',' ORDER BY m.created_at, m.step, m.name)
      FROM instance_images m WHERE m.tenant_id = :tenant_id AND m.instance_id = :id) AS image_names
  FROM process_instances i LEFT JOIN journeys j ON j.tenant_id = i.tenant_id AND j.instance_id = :id
  WHERE i.tenant_id = :tenant_id AND i.id = :id`,
  [...columns, ...JOURNEY.map((column) => `journey_${column}`), 'data_key', 'shown_steps', 'image_names'],
);

export type InstanceJourney = {
  readonly row: InstanceRow;
  readonly journey: StoredJourney | undefined;
  /** The sealed key of the instance, if it has one. */
  readonly dataKey: Uint8Array | null;
  /** The last attempt of each step that the end user was shown, if its page was not left since. */
  readonly shownAttempts: ReadonlyMap<string, number>;
  /** The images that it has, in the order in which they came. */
  readonly images: readonly ImageName[];
};

export type ImageName = { readonly step: string; readonly attempt: number; readonly name: string };

/** An instance with its journey, of one moment. Before it was opened there is no journey. */
export async function findInstanceJourney(db: TenantReads, id: string): Promise<InstanceJourney | undefined> {
  const joined = await BOTH.get(db, { id });
  if (!joined) return undefined;
  const { journey_revision, journey_state, journey_sealed, journey_due_at, ...rest } = joined;
  const { data_key, shown_steps, image_names, ...row } = rest;
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
    shownAttempts: new Map(shown_steps?.split(',').map(attemptIn)),
    images: image_names?.split(',').map(imageIn) ?? [],
  };
}

/** As the statement writes them. No id of a step and no name of an image has a space or a comma. */
function attemptIn(text: string): [step: string, attempt: number] {
  const [step = '', attempt] = text.split(' ');
  return [step, Number(attempt)];
}

function imageIn(text: string): ImageName {
  const [step = '', attempt, name = ''] = text.split(' ');
  return { step, attempt: Number(attempt), name };
}
