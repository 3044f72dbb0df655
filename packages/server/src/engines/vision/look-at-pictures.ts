import {
  compareSides,
  type DocumentReading,
  encodeTemplate,
  type FaceAnalysis,
  type FaceTemplate,
  faceQuality,
  ImageFault,
  meanVector,
  movingFrames,
  type Novelty,
  openVision as openEngine,
  type RestPicture,
  restFrames,
  type VisionEngine,
  VisionFault,
} from '@grove/vision/light';
import type { Clock } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { ChallengeProgress } from './challenge.ts';
import type { DocumentSides } from './document-sides.ts';
import { algorithmOfPack, compareFaces, type FacePackName } from './face-templates.ts';
import { judgeDocument } from './judge-document.ts';
import { judgeActive, judgeFace, judgeMatch, judgePassive, refusedPicture } from './judge-face.ts';
import { type LookAhead, type LookName, openLookAhead } from './look-ahead.ts';
import { marksOfFace, marksOfSides } from './marks.ts';
import { readBiographicData } from './read-biographic-data.ts';
import type { DocumentFindings, DocumentRequest, FaceRequest, Vision, VisionImage, VisionMachine } from './vision.ts';

export type LookDeps = {
  clock: Clock;
  facePack: FacePackName;
  /** The folder of weights that are not part of a package. */
  weights?: string | undefined;
  onError(what: string, error: unknown): void;
};

/** Even on a busy machine, only a faulty picture takes longer. */
const PICTURE_TIMEOUT_MS = 60_000;
const RETRY_AFTER_SECONDS = 5;

/**
 * The real machine, with its engine. A picture that cannot be analysed is a finding. A machine that cannot analyse is a
 * 100010, which callers see and jobs retry.
 */
export function lookAtPictures(deps: LookDeps): VisionMachine {
  const { clock, facePack } = deps;
  const engine = openOnce(deps);
  const looks = openLookAhead(engine);
  engine.open().catch(() => undefined);

  /** The finding of the engine, or the reason why it refuses the image. */
  const look = async <Finding>(
    image: VisionImage,
    signal: AbortSignal,
    see: (engine: VisionEngine, bytes: Buffer) => Promise<Finding>,
  ): Promise<LookResult<Finding>> => {
    const bytes = await image.read();
    signal.throwIfAborted();
    try {
      return { finding: await see((await engine.open()).of(image.share), bytes), bytes };
    } catch (error) {
      if (error instanceof ImageFault) return { fault: error.reason };
      throw error instanceof VisionFault ? notReady(error) : error;
    }
  };
  const analyse = (image: VisionImage, signal: AbortSignal) =>
    look(image, signal, (each, bytes) => looks.see(nameOf('face', image), () => each.analyseFace(bytes)));
  const embed = async (image: VisionImage, signal: AbortSignal): Promise<FaceTemplate | null> => {
    const name = nameOf('face', image);
    const analysis = name && (await looks.findingOf<FaceAnalysis>(name)?.catch(() => undefined));
    if (analysis) return analysis.face?.template ?? null;
    const lookResult = await look(image, signal, (each, bytes) => looks.see(undefined, () => each.embedFace(bytes)));
    return lookResult.fault === undefined ? lookResult.finding.template : null;
  };

  return {
    algorithm: algorithmOfPack(facePack),
    compareFaces,
    async faceTemplate(image, signal) {
      const { finding, fault } = { finding: undefined, ...(await analyse(image, signal)) };
      if (!finding?.face?.template) return { template: undefined, reason: fault ?? 'no_face' };
      const template = encodeTemplate(finding.face.template);
      return { template, quality: faceQuality(finding), reasons: [...finding.reasons] };
    },
    readDocument: (request, signal) => readDocument({ look, looks, today: dayOf(clock.now()) }, request, signal),
    readFace: (request, signal) => readFace({ analyse, look }, request, signal),
    observeFrame: (...frame) => observeFrame(engine, ...frame),
    async matchFaces({ document, face, challenge }, signal) {
      const [one, other] = await Promise.all([embed(document, signal), embed(face, signal)]);
      const frames = challenge && {
        rest: meanVector(restFrames(challenge)),
        moving: meanVector(movingFrames(challenge)),
      };
      return judgeMatch(one, other, frames);
    },
    warm: () => undefined,
    lookAhead(image, kind) {
      const today = dayOf(clock.now());
      const name = nameOf(kind, image, today);
      const see = async () => {
        const [each, bytes] = [(await engine.open()).of(image.share), await image.read()];
        return kind === 'face' ? each.analyseFace(bytes) : readSide(each, bytes, today);
      };
      const begin = () => name && looks.ahead(name, { bytes: image.bytes, look: see });
      engine.open().then(begin, () => undefined);
    },
    stop() {
      looks.stop();
      return engine.stop();
    },
  };
}

async function observeFrame(
  engine: Pick<ReturnType<typeof openOnce>, 'open'>,
  ...[bytes, wantedFrame, share]: Parameters<VisionMachine['observeFrame']>
): ReturnType<VisionMachine['observeFrame']> {
  try {
    return await (await engine.open()).of(share).observeFace(bytes, wantedFrame);
  } catch (error) {
    if (error instanceof ImageFault) return { faces: 0, width: 0, height: 0 };
    throw error instanceof VisionFault ? notReady(error) : error;
  }
}

/** Opens the engine at the first request, and again after a failure. */
function openOnce({ onError, facePack: pack, weights }: LookDeps) {
  let engine: Promise<VisionEngine> | undefined;
  let opened: VisionEngine | undefined;
  let stopped = false;
  return {
    open(): Promise<VisionEngine> {
      if (stopped) return Promise.reject(notReady());
      engine ??= openEngine({ timeoutMs: PICTURE_TIMEOUT_MS, pack, ...(weights !== undefined && { weights }) }).then(
        (ready) => {
          opened = ready;
          return ready;
        },
        (error) => {
          engine = undefined;
          onError('could not start the vision engine', error);
          throw notReady(error);
        },
      );
      return engine;
    },
    isFree(): boolean {
      if (!opened || stopped) return false;
      const { waiting, running, workers } = opened.stats();
      return waiting === 0 && running < workers;
    },
    async stop() {
      stopped = true;
      // A worker that is killed inside its libraries would crash the process, so this waits until it has stopped.
      await (await engine?.catch(() => undefined))?.stop();
    },
  };
}

function notReady(cause?: unknown): ApiError {
  return new ApiError(100010, {
    detail: 'image analysis is temporarily unavailable',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}

/** The finding of a document depends on the day, so the day is part of its name. */
function nameOf(kind: LookName['kind'], { id }: VisionImage, today = ''): LookName | undefined {
  return id === undefined ? undefined : { kind, id: kind === 'document' ? `${id} ${today}` : id };
}

function readSide(engine: VisionEngine, bytes: Buffer, today: string, expected?: 'barcode'): Promise<DocumentReading> {
  return engine.readDocument(bytes, { today, straightened: true, ...(expected && { expected }) });
}

/** Countries whose licences have a code on the back with all printed fields (AAMVA). */
const COUNTRIES_OF_CODES: readonly string[] = ['USA', 'CAN'];

function bearsCode({ documentType, countryCode }: DocumentRequest): boolean {
  return documentType === 'DRIVERS_LICENSE' && countryCode !== undefined && COUNTRIES_OF_CODES.includes(countryCode);
}

function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

type LookResult<Finding> = { finding: Finding; bytes: Buffer; fault?: undefined } | { fault: string };
type Look = <Finding>(
  image: VisionImage,
  signal: AbortSignal,
  see: (engine: VisionEngine, bytes: Buffer) => Promise<Finding>,
) => Promise<LookResult<Finding>>;

async function readDocument(
  { look, looks, today }: { look: Look; looks: LookAhead; today: string },
  request: DocumentRequest,
  signal: AbortSignal,
): ReturnType<Vision['readDocument']> {
  const readImage = (image: VisionImage, expected?: 'barcode') =>
    look(image, signal, async (engine, bytes) => {
      const reading = await looks.see(nameOf('document', image, today), () => readSide(engine, bytes, today));
      // The look ahead did not know that a code is expected. A thorough search for it takes another second.
      return expected && !reading.barcode ? readSide(engine, bytes, today, expected) : reading;
    });
  const front = await readImage(request.front);
  const back = request.back && (await readImage(request.back, bearsCode(request) ? 'barcode' : undefined));
  if (front.fault !== undefined) return refusedSide(front.fault, 'front');
  if (back?.fault !== undefined) return refusedSide(back.fault, 'back');
  const sides: DocumentSides = { front: front.finding, ...(back && { back: back.finding }) };
  const readings = [sides.front, ...(sides.back ? [sides.back] : [])];
  const { checks, pictures, documentType, countryCode } = judgeDocument(sides, request, compareSides(readings, today));
  return {
    checks,
    pictures,
    ...(documentType && { documentType }),
    ...(countryCode && { countryCode }),
    biographicData: readBiographicData(readings, today),
    images: derivedImages(sides),
    marks: marksOfSides(sides),
  };
}

function refusedSide(fault: string, picture: string): DocumentFindings {
  const checks = [refusedPicture('documentQuality', 'document', fault, picture)];
  return { checks, pictures: [{ picture, reasons: [fault] }], biographicData: [] };
}

/** The images that are cut out of the photographs: the document and the portrait. */
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

/** Undefined if no edges were found: the cropped image would be the photograph itself. */
function croppedOf({ outline, straightened }: DocumentReading): Uint8Array | undefined {
  return outline && outline.source !== 'frame' ? straightened : undefined;
}

type FaceLooks = {
  analyse(image: VisionImage, signal: AbortSignal): Promise<LookResult<FaceAnalysis>>;
  look: Look;
};

async function readFace(
  { analyse, look }: FaceLooks,
  { image, liveness, frames, challenge, clientHints }: FaceRequest,
  signal: AbortSignal,
): ReturnType<Vision['readFace']> {
  const selfie = await analyse(image, signal);
  if (selfie.fault !== undefined) return { checks: [refusedPicture('faceQuality', 'face', selfie.fault, 'image')] };
  const quality = faceQuality(selfie.finding);
  const faceCheck = judgeFace(selfie.finding, quality);
  const findings = { quality, marks: { image: marksOfFace(selfie.finding) } };
  if (liveness === 'none' || !selfie.finding.face) return { checks: [faceCheck], ...findings };
  if (liveness === 'passive') return { checks: [faceCheck, judgePassive(selfie.finding, clientHints)], ...findings };
  const novelty = challenge ? await noveltyOf(look, challenge, [image, ...frames], signal) : null;
  return { checks: [faceCheck, judgeActive({ selfie: selfie.finding, challenge, novelty, clientHints })], ...findings };
}

/** Measures on the stored frames how much of the face is new each time when it returns to rest. */
async function noveltyOf(
  look: Look,
  challenge: ChallengeProgress,
  images: readonly VisionImage[],
  signal: AbortSignal,
): Promise<Novelty | null> {
  const rests = new Map(restFrames(challenge).map(({ sha256, observation }) => [sha256, observation]));
  const pictures: RestPicture[] = [];
  for (const image of images) {
    const observation = image.sha256 === undefined ? undefined : rests.get(image.sha256);
    if (!observation) continue;
    const { points, yaw, pitch } = observation;
    pictures.push({ bytes: await image.read(), points, yaw, pitch });
  }
  const [first] = images;
  if (!first) return null;
  const lookResult = await look(first, signal, (engine) => engine.measureNovelty(pictures));
  return lookResult.fault === undefined ? lookResult.finding : null;
}
