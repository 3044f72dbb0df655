import { createHash } from 'node:crypto';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { api, Ok, Params } from '@grove/contract';
import { ImageRefused } from '../engines/images/refused.ts';
import type { LookKind } from '../engines/vision/look-ahead.ts';
import type { JourneyContext } from '../kernel/context.ts';
import type { Environment } from '../kernel/environment.ts';
import { ApiError, invalidInput } from '../kernel/errors.ts';
import type { Share } from '../kernel/fair-queue.ts';
import { newId } from '../kernel/ids.ts';
import type { RawBody } from '../kernel/implement.ts';
import type { Current } from '../process-manager/engine/state.ts';
import { wantedImages } from '../process-manager/engine/steps/registry.ts';
import type { WantedImage } from '../process-manager/engine/steps/step-type.ts';
import { imageContext } from '../process-manager/images/read-image.ts';
import { instanceSubject } from '../process-manager/instances/instance-subject.ts';
import type { Snapshot } from '../process-manager/runtime/drive.ts';
import type { Sealer } from '../secrets/vault.ts';
import type { ImageRow, JourneyDeps } from './journey-deps.ts';
import { namesOfAttempt } from './show-journey.ts';
import { currentUserStep, lockJourney, lookAtJourney } from './steps.ts';

/**
 * Receives an image of the current step. First the image must be wanted, and there must be a key. Then it is re-encoded,
 * sealed and stored, outside of any transaction. At last a transaction records it, if the step is still current. There may be
 * a blob without a row, which a sweep removes, but never a row without its blob. Of the original only the hash is stored.
 */
export const MAX_IMAGES_PER_ATTEMPT = 30;
const MAX_STAND_IN_BYTES = 64 * 1024;
/** Hashing 12 MB without a pause would delay all other requests. */
const HASHED_AT_ONCE_BYTES = 256 * 1024;

type UploadResult = Ok<typeof api.journey.uploadImage>;
type UploadParams = Params<typeof api.journey.uploadImage>;

export function imageUploader(deps: JourneyDeps) {
  return async (context: JourneyContext, { stepId, imageName }: UploadParams, body: RawBody): Promise<UploadResult> => {
    const snapshot = await lookAtJourney(deps, context);
    const current = currentUserStep(snapshot, stepId);
    const { environment } = snapshot.root;
    const wantedImage = ensureWanted(snapshot, current, imageName);
    ensureFormatTaken(wantedImage, body);
    ensureStorable(deps, context, body, environment);
    // An uploaded picture of any age must not replace the frames of the person before the camera.
    if (wantedImage.byChallenge && environment === 'live') {
      throw new ApiError(100059, { detail: 'the images of this step are frames of its challenge' });
    }
    const { id: instanceId } = snapshot.instance;
    const seal = await sealerOf(deps, context, snapshot);
    const ahead = environment === 'live' ? wantedImage.ahead : undefined;
    const storable: StorableImage = isStandIn(body) ? body : await makeHarmless(deps.images, body, shareOf(context));
    // Hashed after re-encoding, which handles one image after another, so that not all waiting images are hashed at once.
    const sha256 = await hashOf(body.bytes);
    await storeImage(deps, context, { instanceId, current, seal, name: imageName, storable, sha256, ahead });
    const { bytes } = body;
    return {
      name: imageName,
      sha256,
      bytes: bytes.length,
      ...(storable.pages !== undefined && { pages: storable.pages }),
    };
  };
}

/** Seals for the instance whose step is shown. */
export async function sealerOf(
  deps: JourneyDeps,
  context: JourneyContext,
  { instance, dataKey }: Snapshot,
): Promise<Sealer> {
  const subject = instanceSubject(instance.id);
  if (dataKey) return deps.vault.sealerWith(context.db, subject, dataKey);
  return context.db.write(async (tx) => {
    // Locks the journey, because a key for a deleted instance would stay for ever.
    await lockJourney(deps, tx, context);
    return deps.vault.sealerFor(tx, subject);
  });
}

/** The tenant and sender to which the image counts when many wait. */
export function shareOf({ tenantId, session }: JourneyContext): Share {
  return { tenant: tenantId, sender: session.instanceId };
}

export type NewImage = {
  readonly instanceId: string;
  readonly current: Pick<Current, 'step' | 'attempt'>;
  readonly seal: Sealer;
  readonly name: string;
  /** The re-encoded image, or a stand-in of the sandbox. */
  readonly storable: StorableImage;
  /** The hash of the sent bytes. */
  readonly sha256: string;
  readonly ahead?: LookKind | undefined;
};

/** Stores the blob first, then the row. */
async function storeImage(
  deps: JourneyDeps,
  context: JourneyContext,
  image: NewImage & { readonly current: Current },
): Promise<void> {
  const row = await putImage(deps, context, image);
  await orDelete(deps, row, () => record(deps, context, row, image.current));
  lookAhead(deps, context, image, row);
}

/** Seals and stores the bytes. Returns the row that the caller must record. */
export async function putImage(deps: JourneyDeps, context: JourneyContext, image: NewImage): Promise<ImageRow> {
  const { instanceId, current, seal, name, sha256 } = image;
  const { contentType, bytes } = image.storable;
  const blobKey = newId(context.now);
  await deps.blobs.put(blobKey, seal(imageContext({ blob_key: blobKey }), bytes));
  return {
    instance_id: instanceId,
    step: current.step,
    attempt: current.attempt,
    name,
    blob_key: blobKey,
    blob_offset: null,
    former_key: null,
    content_type: contentType,
    bytes: bytes.length,
    sha256,
    created_at: context.now,
  };
}

/** Records a stored image. If the record is refused, the bytes are deleted. */
export async function orDelete<T>({ blobs }: JourneyDeps, row: ImageRow, save: () => Promise<T>): Promise<T> {
  try {
    return await save();
  } catch (error) {
    // After any other error, the row may have been committed, so its blob must stay.
    if (error instanceof ApiError) await blobs.delete(row.blob_key).catch(() => undefined);
    throw error;
  }
}

export function lookAhead(deps: JourneyDeps, context: JourneyContext, image: NewImage, row: ImageRow): void {
  const { contentType, bytes } = image.storable;
  const input = {
    id: row.blob_key,
    share: context.tenantId,
    contentType,
    bytes: bytes.length,
    read: async () => bytes,
  };
  if (image.ahead) deps.vision.lookAhead(input, image.ahead);
}

/** Records the image. Ensures that the step is still current, in the same attempt. */
function record(deps: JourneyDeps, context: JourneyContext, row: ImageRow, before: Current): Promise<void> {
  return context.db.write(async (tx) => {
    const snapshot = await lockJourney(deps, tx, context);
    const current = currentUserStep(snapshot, row.step);
    const same = snapshot.instance.id === row.instance_id && current.enteredAt === before.enteredAt;
    if (!same || current.attempt !== before.attempt) throw new ApiError(100056);
    const names = namesOfAttempt(snapshot.images, current);
    if (!names.includes(row.name) && names.length >= MAX_IMAGES_PER_ATTEMPT) {
      throw new ApiError(100059, { detail: `an attempt has at most ${MAX_IMAGES_PER_ATTEMPT} images` });
    }
    const replaced = await deps.processes.saveImages(tx, [row], snapshot.images);
    if (replaced.length > 0) await deps.processes.deleteBlobs(tx, replaced);
  });
}

function ensureWanted({ definition }: Snapshot, { step: stepId }: Current, imageName: string): WantedImage {
  const step = definition.step(stepId);
  const images = step ? wantedImages(step) : [];
  const wantedImage = images.find(({ name }) => name === imageName);
  if (wantedImage) return wantedImage;
  const names = images.map(({ name }) => name);
  const message = names.length > 0 ? `must be one of ${names.join(', ')}` : 'is not possible: the step has no images';
  throw invalidInput({ pointer: '/params/imageName', message });
}

const isPdf = ({ contentType }: RawBody) => contentType === 'application/pdf';

/** Ensures that an image comes as a PDF only where that is allowed: never a face, or a document for the camera. */
function ensureFormatTaken({ pdf }: WantedImage, body: RawBody): void {
  if (isPdf(body) && !pdf) throw new ImageRefused('not_an_image');
}

export type StorableImage = RawBody & { readonly pages?: number };

export async function makeHarmless(images: JourneyDeps['images'], body: RawBody, share: Share): Promise<StorableImage> {
  return isPdf(body) ? images.firstPage(body.bytes, share) : images.reencode(body.bytes, body.contentType, share);
}

export const isStandIn = ({ contentType }: RawBody) => contentType === 'application/json';

/** Ensures that a JSON document replaces an image only in the sandbox, and that test callers do not fill the disk. */
export function ensureStorable(
  { testVolume }: Pick<JourneyDeps, 'testVolume'>,
  { tenantId }: Pick<JourneyContext, 'tenantId'>,
  body: RawBody,
  environment: Environment,
): void {
  ensureStandIn(body, environment);
  testVolume.admit({ tenantId, environment }, body.bytes.length);
}

function ensureStandIn(body: RawBody, environment: Environment): void {
  if (!isStandIn(body)) return;
  const { bytes } = body;
  if (bytes.length === 0) throw new ImageRefused('empty');
  const refuse = (detail: string) => new ApiError(100059, { detail });
  if (environment !== 'test') throw refuse('a JSON document can replace the picture only in the sandbox');
  if (bytes.length > MAX_STAND_IN_BYTES) throw refuse(`a document has at most ${MAX_STAND_IN_BYTES} bytes`);
  if (!isJsonObject(bytes)) throw refuse('the document is not a JSON object');
}

function isJsonObject(bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

export async function hashOf(bytes: Buffer): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += HASHED_AT_ONCE_BYTES) {
    if (at > 0) await letOthersRun();
    hash.update(bytes.subarray(at, at + HASHED_AT_ONCE_BYTES));
  }
  return hash.digest('hex');
}
