import { createHash } from 'node:crypto';
import type { api, Ok, Params } from '@grove/contract';
import type { JourneyContext } from '../kernel/context.ts';
import { ApiError, invalidInput } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { RawBody } from '../kernel/implement.ts';
import type { Look } from '../process-manager/engine/drive.ts';
import type { Current } from '../process-manager/engine/state.ts';
import { stepTypeOf } from '../process-manager/engine/steps/registry.ts';
import { detectImageType } from './detect-image-type.ts';
import type { JourneyDeps } from './journey-deps.ts';
import { namesOfAttempt } from './show-journey.ts';
import { currentUserStep, lockJourney } from './steps.ts';

/**
 * Takes an image of the current step. The bytes are sealed with a key that a first transaction makes, stored, and only
 * then recorded by a second: there may be a blob that no row knows, and a sweep removes it, but never a row without its
 * blob. The step must still be waited for when it is recorded.
 */
export const MAX_IMAGES_PER_ATTEMPT = 20;
const MAX_STAND_IN_BYTES = 64 * 1024;

type Uploaded = Ok<typeof api.journey.uploadImage>;
type Place = Params<typeof api.journey.uploadImage>;

export function imageUploader(deps: JourneyDeps) {
  const { vault, blobs } = deps;
  return async (context: JourneyContext, { stepId, imageName }: Place, body: RawBody): Promise<Uploaded> => {
    const { db, now } = context;
    const blobKey = newId(now);
    const before = await db.write(async (tx) => {
      const look = await lockJourney(deps, tx, context);
      const current = currentUserStep(look, stepId);
      ensureWanted(look, current, imageName);
      ensureImage(body, look.root.environment);
      const subject = `instance:${look.instance.id}`;
      const sealed = await vault.sealFor(tx, subject, `image:${blobKey}`, body.bytes);
      return { instanceId: look.instance.id, current, sealed };
    });
    await blobs.put(blobKey, before.sealed);
    const sha256 = createHash('sha256').update(body.bytes).digest('hex');
    try {
      await db.write(async (tx) => {
        const look = await lockJourney(deps, tx, context);
        const current = currentUserStep(look, stepId);
        const same = look.instance.id === before.instanceId && current.enteredAt === before.current.enteredAt;
        if (!same || current.attempt !== before.current.attempt) throw new ApiError(100056);
        const names = namesOfAttempt(await deps.imagesOf(tx, look.instance.id), current);
        if (!names.includes(imageName) && names.length >= MAX_IMAGES_PER_ATTEMPT) {
          throw new ApiError(100059, { detail: `an attempt has at most ${MAX_IMAGES_PER_ATTEMPT} images` });
        }
        const replaced = await deps.saveImage(tx, {
          ...{ instance_id: look.instance.id, step: stepId, attempt: current.attempt, name: imageName },
          ...{ blob_key: blobKey, content_type: body.contentType, bytes: body.bytes.length, sha256, created_at: now },
        });
        if (replaced !== undefined) await deps.deleteBlobs(tx, [replaced]);
      });
    } catch (error) {
      // If the commit is in doubt, the row may be there, and then its blob must be.
      if (error instanceof ApiError) await blobs.delete(blobKey).catch(() => undefined);
      throw error;
    }
    return { name: imageName, sha256, bytes: body.bytes.length };
  };
}

function ensureWanted({ definition }: Look, { step: stepId }: Current, imageName: string): void {
  const step = definition.step(stepId);
  const names =
    (step &&
      stepTypeOf(step.type)
        .user?.images?.(step)
        ?.map(({ name }) => name)) ??
    [];
  if (names.includes(imageName)) return;
  const message = names.length > 0 ? `must be one of ${names.join(', ')}` : 'cannot be given: the step takes no images';
  throw invalidInput({ pointer: '/params/imageName', message });
}

/** In the sandbox a JSON document can stand in for an image; nowhere else can anything. */
export function ensureImage({ contentType, bytes }: RawBody, environment: 'live' | 'test'): void {
  const fault = bytes.length === 0 ? 'it is empty' : faultOf(contentType, bytes, environment);
  if (fault) throw new ApiError(100059, { detail: fault });
}

function faultOf(contentType: string, bytes: Buffer, environment: 'live' | 'test'): string | undefined {
  if (contentType === 'application/json') {
    if (environment !== 'test') return 'a document can stand in for it in the sandbox alone';
    if (bytes.length > MAX_STAND_IN_BYTES) return `a document has at most ${MAX_STAND_IN_BYTES} bytes`;
    return isJsonObject(bytes) ? undefined : 'the document is not a JSON object';
  }
  const type = detectImageType(bytes);
  if (type === undefined) return 'it is not a JPEG, PNG or WebP image';
  return type === contentType ? undefined : `it is ${type} and not ${contentType}`;
}

function isJsonObject(bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
