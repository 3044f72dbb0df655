import type { TenantDb } from '../../db/db.ts';
import type { Blobs } from '../../engines/blobs/blobs.ts';
import { algorithmOf } from '../../engines/vision/face-templates.ts';
import type { FaceTemplates } from '../../engines/vision/vision.ts';
import type { Vault } from '../../secrets/vault.ts';
import { findCompiled } from '../definitions/compiled-definition.ts';
import type { State } from '../engine/state.ts';
import { type ImageRow, imagesOf } from '../images/images.repository.ts';
import { readImage } from '../images/read-image.ts';
import { instanceSubject } from '../instances/instance-subject.ts';
import { findJourney } from '../instances/journeys.repository.ts';
import { findInstance, findInstanceForUpdate } from '../instances/process-instances.repository.ts';
import {
  countFacesOfOthers,
  FACES_AT_ONCE,
  facesOfOthers,
  findFace,
  type KnownFace,
  saveFace,
} from './faces.repository.ts';
import { faceContext } from './known-faces.ts';

export type ReEnrolDeps = {
  vault: Pick<Vault, 'openerFor' | 'sealFor'>;
  blobs: Pick<Blobs, 'get'>;
  machine: Pick<FaceTemplates, 'algorithm' | 'faceTemplate'>;
};

export type FaceCounts = {
  /** Faces that were made again from the picture. */
  done: number;
  /** Faces whose picture is gone, or in which this pack finds no face. They stay unchanged and cannot be compared. */
  withoutImage: number;
  withoutFace: number;
};

/**
 * Makes the faces of other algorithms again from the selfies of their instances, after a change of the face pack. Each is
 * stored separately, so that a stopped run continues where it was, and only if nobody has changed it meanwhile.
 */
export async function reEnrolFaces(
  deps: ReEnrolDeps,
  db: TenantDb,
  { signal, onProgress }: { signal: AbortSignal; onProgress(counts: FaceCounts, total: number): void },
): Promise<FaceCounts> {
  const counts: FaceCounts = { done: 0, withoutImage: 0, withoutFace: 0 };
  const total = await countFacesOfOthers(db, { algorithm: deps.machine.algorithm });
  let after = { instance_id: '', step: '' };
  for (;;) {
    const page = await facesOfOthers(db, {
      algorithm: deps.machine.algorithm,
      instance_id: after.instance_id,
      step: after.step,
    });
    for (const face of page) {
      signal.throwIfAborted();
      counts[await reEnrol(deps, db, face, signal)] += 1;
      after = face;
    }
    onProgress(counts, total);
    if (page.length < FACES_AT_ONCE) return counts;
  }
}

async function reEnrol(
  deps: ReEnrolDeps,
  db: TenantDb,
  face: KnownFace,
  signal: AbortSignal,
): Promise<keyof FaceCounts> {
  const { instance_id: instanceId, step, environment, created_at } = face;
  const image = await selfieOf(db, face);
  if (!image) return 'withoutImage';
  const readBytes = () => readImage(deps, db, image);
  const result = await deps.machine.faceTemplate({ contentType: image.content_type, read: readBytes }, signal);
  if (!result.template) return 'withoutFace';
  const { template } = result;
  await db.write(async (tx) => {
    if (!(await findInstanceForUpdate(tx, instanceId))) return;
    const now = await findFace(tx, { instanceId, step });
    if (now?.algorithm !== face.algorithm || now.created_at !== created_at) return;
    const sealed = await deps.vault.sealFor(tx, instanceSubject(instanceId), faceContext(step), template);
    saveFace(tx, { instance_id: instanceId, step, environment, algorithm: algorithmOf(template), sealed, created_at });
  });
  return 'done';
}

/** The picture of a face: that of the last attempt of the step that took it. */
async function selfieOf(db: TenantDb, { instance_id, step: id }: KnownFace): Promise<ImageRow | undefined> {
  const instance = await findInstance(db, instance_id);
  const compiled = instance && (await findCompiled(db, instance.definition_id));
  const journey = await findJourney(db, { instanceId: instance_id });
  if (!compiled || !journey) return undefined;
  const { done } = JSON.parse(journey.state) as State['flow'];
  const { definition } = compiled;
  const key = definition.steps.find((step) => step.id === id)?.face;
  const owner = definition.steps.find((step) => step.key === key && Object.hasOwn(done, step.id));
  const attempt = owner && done[owner.id]?.attempts;
  const images = await imagesOf(db, instance_id);
  return images.find((row) => row.step === owner?.id && row.attempt === attempt && row.name === 'image');
}
