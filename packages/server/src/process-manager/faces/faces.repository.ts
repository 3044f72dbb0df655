import type { TenantReads, TenantTx } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { countOf, query, statement } from '../../db/sql/statement.ts';
import type { Environment } from '../../kernel/environment.ts';
import { dataKeyColumn } from '../../secrets/data-key-column.ts';
import { instanceSubject } from '../instances/instance-subject.ts';

export type FaceKey = {
  readonly instance_id: string;
  readonly step: string;
  readonly algorithm: string;
  readonly created_at: number;
};
export type FaceRow = Omit<FaceKey, 'algorithm'> & {
  readonly sealed: Uint8Array;
  /** That of the instance; null if it was destroyed. */
  readonly data_key: Uint8Array | null;
};

/** With more than these a search says that it has not seen them all. */
export const MAX_KNOWN_FACES = 1_000_000;
/** How many are read at once, and of how many the keys are. */
export const FACES_AT_ONCE = 200;
const KEYS_AT_ONCE = 20_000;

const SAVE =
  statement(`INSERT INTO instance_faces (tenant_id, instance_id, step, environment, algorithm, sealed, created_at)
  VALUES (:tenant_id, :instanceId, :step, :environment, :algorithm, :sealed, :now)
  ON CONFLICT (tenant_id, instance_id, step) DO UPDATE SET environment = excluded.environment,
    algorithm = excluded.algorithm, sealed = excluded.sealed, created_at = excluded.created_at`);
const KEYS = query<FaceKey>()(`SELECT instance_id, step, algorithm, created_at FROM instance_faces
  WHERE tenant_id = :tenant_id AND environment = :environment AND created_at >= :since
  AND (created_at, instance_id, step) < (:created_at, :instance_id, :step)
  ORDER BY created_at DESC, instance_id DESC, step DESC LIMIT :limit + 0`);

type NewFace = { instanceId: string; step: string; environment: Environment; algorithm: string; sealed: Uint8Array };

export async function saveFace(tx: TenantTx, face: NewFace, now: number): Promise<void> {
  const { instanceId, step, environment, algorithm, sealed } = face;
  SAVE.send(tx, { instanceId, step, environment, algorithm, sealed, now });
}

export type KeptFace = FaceKey & { readonly environment: Environment };

/** The faces of other algorithms, behind this one in the order of instances and steps. */
export const facesOfOthers =
  query<KeptFace>()(`SELECT instance_id, step, environment, algorithm, created_at FROM instance_faces
  WHERE tenant_id = :tenant_id AND algorithm <> :algorithm AND (instance_id > :instance_id OR (instance_id = :instance_id AND step > :step))
  ORDER BY instance_id, step LIMIT ${FACES_AT_ONCE}`).all;

/** Counts the faces of other algorithms. */
export const countFacesOfOthers = countOf(
  'FROM instance_faces WHERE tenant_id = :tenant_id AND algorithm <> :algorithm',
);

export const findFace = query<FaceKey>()(`SELECT instance_id, step, algorithm, created_at FROM instance_faces
  WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND step = :step`).get;

/** Before it come all of them. */
const BEFORE_ALL = { created_at: Number.MAX_SAFE_INTEGER, instance_id: '', step: '' };

/** The keys of the faces kept since then, by whatever algorithm, the newest first, a part at a time. */
export async function* faceKeys(
  db: TenantReads,
  environment: Environment,
  { since = 0, atOnce = KEYS_AT_ONCE } = {},
): AsyncGenerator<FaceKey[]> {
  let last: Omit<FaceKey, 'algorithm'> | undefined = BEFORE_ALL;
  while (last) {
    const { created_at, instance_id, step } = last;
    const keys: FaceKey[] = await KEYS.all(db, { environment, since, created_at, instance_id, step, limit: atOnce });
    if (keys.length > 0) yield keys;
    last = keys.length < atOnce ? undefined : keys.at(-1);
  }
}

export const facesOf = query<FaceRow>()(`SELECT instance_id, step, created_at, sealed,
  ${dataKeyColumn(`'${instanceSubject('')}' || instance_id`)} AS data_key FROM instance_faces
  WHERE tenant_id = :tenant_id AND environment = :environment AND algorithm = :algorithm
  AND instance_id ${inList(':instanceIds')}`).all;
