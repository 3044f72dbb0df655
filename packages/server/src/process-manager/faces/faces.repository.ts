import type { TenantReads, TenantTx } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { countOf, query, statement } from '../../db/sql/statement.ts';
import type { Environment } from '../../kernel/environment.ts';

export type FaceKey = {
  readonly instance_id: string;
  readonly step: string;
  readonly algorithm: string;
  readonly created_at: number;
};
export type FaceRow = Omit<FaceKey, 'algorithm'> & { readonly sealed: Uint8Array };

/** Two kilobytes each in memory. With more than these a search says that it has not seen them all. */
export const MAX_KNOWN_FACES = 200_000;
/** How many are read at once. */
export const FACES_AT_ONCE = 200;

const SAVE =
  statement(`INSERT INTO instance_faces (tenant_id, instance_id, step, environment, algorithm, sealed, created_at)
  VALUES (:tenant_id, :instanceId, :step, :environment, :algorithm, :sealed, :now)
  ON CONFLICT (tenant_id, instance_id, step) DO UPDATE SET environment = excluded.environment,
    algorithm = excluded.algorithm, sealed = excluded.sealed, created_at = excluded.created_at`);
const KEYS = query<FaceKey>()(`SELECT instance_id, step, algorithm, created_at FROM instance_faces
  WHERE tenant_id = :tenant_id AND environment = :environment AND created_at >= :since
  ORDER BY created_at DESC, instance_id DESC, step DESC LIMIT ${MAX_KNOWN_FACES + 1}`);

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

/** The faces kept since then, by whatever algorithm, the newest first, without the faces: one more than are compared with. */
export function faceKeys(db: TenantReads, environment: Environment, since = 0): Promise<FaceKey[]> {
  return KEYS.all(db, { environment, since });
}

export const facesOf = query<FaceRow>()(`SELECT instance_id, step, created_at, sealed FROM instance_faces
  WHERE tenant_id = :tenant_id AND environment = :environment AND algorithm = :algorithm
  AND instance_id ${inList(':instanceIds')}`).all;
