import {
  compareSides,
  type DocumentReading,
  encodeTemplate,
  type FaceAnalysis,
  type Frame,
  faceQuality,
  frameOf,
  ImageFault,
  openVision as openEngine,
  type VisionEngine,
  VisionFault,
} from '@grove/vision/light';
import type { Clock } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { algorithm, compareFaces } from './face-templates.ts';
import { type DocumentSides, judgeDocument } from './judge-document.ts';
import { judgeActive, judgeFace, judgeMatch, judgePassive, refusedPicture } from './judge-face.ts';
import { readBiographicData } from './read-biographic-data.ts';
import type { DocumentFindings, DocumentRequest, FaceRequest, Vision, VisionImage, VisionMachine } from './vision.ts';

export type LookDeps = { clock: Clock; onError(what: string, error: unknown): void };

/** A page that takes longer than this on a busy machine has a fault of its own. */
const PICTURE_TIMEOUT_MS = 60_000;
const RETRY_AFTER_SECONDS = 5;
/** Frames are looked at a few at a time, so that a challenge does not fill the queue for everybody else. */
const FRAMES_AT_ONCE = 4;

/**
 * The real machine, with the engine behind it. A picture that cannot be looked at is a finding; a machine that cannot
 * look is a 100010, which callers see and jobs try again.
 */
export function lookAtPictures({ clock, onError }: LookDeps): VisionMachine {
  let engine: Promise<VisionEngine> | undefined;
  let stopped = false;

  const open = (): Promise<VisionEngine> => {
    if (stopped) return Promise.reject(notReady());
    engine ??= openEngine({ timeoutMs: PICTURE_TIMEOUT_MS }).catch((error) => {
      engine = undefined;
      onError('the vision engine could not be started', error);
      throw notReady(error);
    });
    return engine;
  };
  open().catch(() => undefined);

  /** What the engine says of the bytes, or the reason why it will not look at them. */
  const look = async <Seen>(
    image: VisionImage,
    signal: AbortSignal,
    see: (engine: VisionEngine, bytes: Buffer) => Promise<Seen>,
  ): Promise<{ seen: Seen; bytes: Buffer; fault?: undefined } | { fault: string }> => {
    const bytes = await image.read();
    signal.throwIfAborted();
    try {
      return { seen: await see(await open(), bytes), bytes };
    } catch (error) {
      if (error instanceof ImageFault) return { fault: error.reason };
      throw error instanceof VisionFault ? notReady(error) : error;
    }
  };
  const analyse = (image: VisionImage, signal: AbortSignal) =>
    look(image, signal, (each, bytes) => each.analyseFace(bytes));

  return {
    algorithm,
    compareFaces,
    async faceTemplate(image, signal) {
      const { seen, fault } = { seen: undefined, ...(await analyse(image, signal)) };
      if (!seen?.face) return { template: undefined, reason: fault ?? 'no_face' };
      const template = encodeTemplate(seen.face.template);
      return { template, quality: faceQuality(seen), reasons: [...seen.reasons] };
    },
    readDocument: (request, signal) => readDocument({ look, today: dayOf(clock.now()) }, request, signal),
    readFace: (request, signal) => readFace(analyse, request, signal),
    async matchFaces({ document, face }, signal) {
      const embed = (each: VisionEngine, bytes: Buffer) => each.embedFace(bytes);
      const [one, other] = await Promise.all([look(document, signal, embed), look(face, signal, embed)]);
      const templateOf = (looked: typeof one) => (looked.fault === undefined ? looked.seen.template : null);
      return judgeMatch(templateOf(one), templateOf(other));
    },
    async stop() {
      stopped = true;
      // A worker that is ended inside its libraries takes the process with it: it is asked, and waited for.
      const opened = await engine?.catch(() => undefined);
      await opened?.stop();
    },
  };
}

function notReady(cause?: unknown): ApiError {
  return new ApiError(100010, {
    detail: 'images cannot be looked at just now',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}

function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

type Looked<Seen> = { seen: Seen; bytes: Buffer; fault?: undefined } | { fault: string };
type Look = <Seen>(
  image: VisionImage,
  signal: AbortSignal,
  see: (engine: VisionEngine, bytes: Buffer) => Promise<Seen>,
) => Promise<Looked<Seen>>;

async function readDocument(
  { look, today }: { look: Look; today: string },
  request: DocumentRequest,
  signal: AbortSignal,
): ReturnType<Vision['readDocument']> {
  const read = (image: VisionImage) =>
    look(image, signal, (engine, bytes) => engine.readDocument(bytes, { today, straightened: true }));
  const front = await read(request.front);
  const back = request.back && (await read(request.back));
  if (front.fault !== undefined) return refusedSide(front.fault, 'front');
  if (back?.fault !== undefined) return refusedSide(back.fault, 'back');
  const sides: DocumentSides = { front: front.seen, ...(back && { back: back.seen }) };
  const readings = [sides.front, ...(sides.back ? [sides.back] : [])];
  const { checks, pictures, documentType, countryCode } = judgeDocument(sides, request, compareSides(readings, today));
  return {
    checks,
    pictures,
    ...(documentType && { documentType }),
    ...(countryCode && { countryCode }),
    biographicData: readBiographicData(readings, today),
    images: derivedImages(sides),
  };
}

function refusedSide(fault: string, picture: string): DocumentFindings {
  const checks = [refusedPicture('documentQuality', 'document', fault, picture)];
  return { checks, pictures: [{ picture, reasons: [fault] }], biographicData: [] };
}

/** What was cut out of the photographs: the document alone, and the portrait. */
function derivedImages({ front, back }: DocumentSides) {
  const image = (name: string, bytes: Uint8Array | undefined) =>
    bytes ? [{ name, contentType: 'image/jpeg', bytes: Buffer.from(bytes) }] : [];
  const portrait = front.portrait ?? back?.portrait;
  return [
    ...image('front.cropped', croppedOf(front)),
    ...image('back.cropped', back && croppedOf(back)),
    ...image('portrait', portrait?.jpeg),
  ];
}

/** A page whose edges were not found would be the photograph over again. */
function croppedOf({ outline, straightened }: DocumentReading): Uint8Array | undefined {
  return outline && outline.source !== 'frame' ? straightened : undefined;
}

async function readFace(
  analyse: (image: VisionImage, signal: AbortSignal) => Promise<Looked<FaceAnalysis>>,
  { image, liveness, frames, challenge, clientHints }: FaceRequest,
  signal: AbortSignal,
): ReturnType<Vision['readFace']> {
  const selfie = await analyse(image, signal);
  if (selfie.fault !== undefined) return { checks: [refusedPicture('faceQuality', 'face', selfie.fault, 'image')] };
  const quality = faceQuality(selfie.seen);
  const faceCheck = judgeFace(selfie.seen, quality);
  if (liveness === 'none' || !selfie.seen.face) return { checks: [faceCheck], quality };
  if (liveness === 'passive') return { checks: [faceCheck, judgePassive(selfie.seen, clientHints)], quality };
  const seen: Frame[] = [];
  for (let at = 0; at < frames.length; at += FRAMES_AT_ONCE) {
    const part = frames.slice(at, at + FRAMES_AT_ONCE);
    const looked = await Promise.all(part.map((frame) => analyse(frame.image, signal)));
    looked.forEach((each, index) => {
      const frame = part[index] as FaceRequest['frames'][number];
      if (each.fault === undefined) seen.push(frameOf(each.bytes, each.seen, frame.at));
    });
  }
  return { checks: [faceCheck, judgeActive({ selfie: selfie.seen, frames: seen, challenge, clientHints })], quality };
}
