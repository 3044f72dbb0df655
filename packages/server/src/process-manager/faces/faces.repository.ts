import type { TenantReads } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { query } from '../../db/sql/statement.ts';
import { bytes, integer, type RowOf, table, text } from '../../db/sql/table.ts';
import type { Environment } from '../../kernel/environment.ts';
import { dataKeyColumn } from '../../secrets/data-key-column.ts';
import { instanceSubject } from '../instances/instance-subject.ts';

const faces = table('instance_faces', {
  tenant_id: text(),
  instance_id: text(),
  step: text(),
  environment: text<Environment>(),
  algorithm: text(),
  sealed: bytes(),
  created_at: integer(),
});
const KEY = ['instance_id', 'step', 'algorithm', 'created_at'] as const;
type StoredFace = RowOf<typeof faces>;
export type FaceKey = Readonly<Pick<StoredFace, (typeof KEY)[number]>>;
export type KnownFace = FaceKey & Pick<StoredFace, 'environment'>;
export type FaceRow = Omit<FaceKey, 'algorithm'> & {
  readonly sealed: Uint8Array;
  /** The data key of the instance; null if it was destroyed. */
  readonly data_key: Uint8Array | null;
};

/** The highest number of faces that a search compares. With more, it reports that it is incomplete. */
export const MAX_KNOWN_FACES = 1_000_000;
/** The number of faces that are read at once, and of keys. */
export const FACES_AT_ONCE = 200;
const KEYS_AT_ONCE = 20_000;

const KEYS = faces.select(
  KEY,
  `WHERE tenant_id = :tenant_id AND environment = :environment AND created_at >= :since
  AND (created_at, instance_id, step) < (:created_at, :instance_id, :step)
  ORDER BY created_at DESC, instance_id DESC, step DESC LIMIT :limit + 0`,
);

export const saveFace = faces.upsert(['tenant_id', 'instance_id', 'step']).send;

const OF_OTHERS = 'WHERE tenant_id = :tenant_id AND algorithm <> :algorithm';
/** The faces of other algorithms, after this one in the order of instances and steps. */
export const facesOfOthers = faces.select(
  [...KEY, 'environment'],
  `${OF_OTHERS} AND (instance_id > :instance_id OR (instance_id = :instance_id AND step > :step))
  ORDER BY instance_id, step LIMIT ${FACES_AT_ONCE}`,
).all;

export const countFacesOfOthers = faces.count(OF_OTHERS);

export const findFace = faces.select(
  KEY,
  'WHERE tenant_id = :tenant_id AND instance_id = :instanceId AND step = :step',
).get;

/** The position before all faces. */
const BEFORE_ALL = { created_at: Number.MAX_SAFE_INTEGER, instance_id: '', step: '' };

/** The keys of the faces since a moment, of any algorithm, the newest first, a part at a time. */
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
