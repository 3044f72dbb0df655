import { decodeWithScale, type Raster } from '../images/raster.ts';
import type { Box } from '../images/sample.ts';
import { type PassiveNetworks, passiveLiveness } from '../liveness/passive.ts';
import { FACE_MODELS, type ModelName, modelName } from '../model-names.ts';
import type { RunModel } from '../models.ts';
import { detectFaces, type FaceBox, mainFace } from './detect.ts';
import { alignFace, type Embedder, type Embedding, embedAligned } from './embed.ts';
import { embedBothWays } from './embed-both-ways.ts';
import { type EyesOpen, findEyesOpen } from './eyes.ts';
import { type FivePoints, findLandmarks, fivePoints } from './landmarks.ts';
import { type Exposure, measureExposure } from './measure.ts';
import { findPose, noseOffset, type Pose } from './pose.ts';
import { type FaceHint, type FaceReason, faceHints, qualityReasons } from './quality.ts';
import { type FaceTemplate, newTemplate } from './template.ts';

/** The network of the pack turns faces into vectors; passive liveness is null if there is no network for it. */
export type FaceModels = Readonly<Record<'detect' | 'landmark' | 'pose' | 'eye', RunModel>> & {
  readonly embedder: Embedder;
  readonly passive: PassiveNetworks | null;
};

type By = { readonly model: ModelName };

/** The parts that an analysis may leave out; by default, none. */
export type FaceOptions = {
  /** `both` also embeds the mirror image: a little more accurate, and twice the time. */
  readonly embed?: 'none' | 'single' | 'both';
  readonly passive?: boolean;
  readonly eyes?: boolean;
};

/** All positions are in pixels of the upright picture. Parts that the options left out are null. */
export type Face = {
  readonly box: Box & { readonly confidence: number } & By;
  readonly points: FivePoints;
  /** The 68 points of the usual scheme: x and y in turn, 136 numbers. */
  readonly landmarks: Float32Array;
  readonly pose: Pose & { readonly noseOffset: number } & By;
  readonly eyesOpen: (EyesOpen & By) | null;
  readonly exposure: Exposure;
  readonly liveness: ({ readonly score: number } & By) | null;
  /** How clear the answer of the embedding model was. */
  readonly strength: number | null;
  readonly template: FaceTemplate | null;
};

export type FaceAnalysis = {
  readonly width: number;
  readonly height: number;
  /** The number of all faces. */
  readonly faces: number;
  /** The main face of the picture. */
  readonly face: Face | null;
  /** Empty if the face is reliable. */
  readonly reasons: readonly FaceReason[];
  readonly hints: readonly FaceHint[];
};

export type FaceEmbedding = {
  readonly faces: number;
  readonly template: FaceTemplate | null;
  readonly box: Box | null;
};

/** No model sees more than a few hundred pixels of a face, so large photographs are read at half size or less. */
const LONGEST_SIDE_AT_LEAST = 1000;
/** A smaller face in the reduced picture is searched again in a larger one. */
const DETAILED_FACE_PIXELS = 224;
/** Twenty-five million pixels would take seconds; a quarter of them shows every usable face. */
const LONGEST_SIDE_AGAIN = 2400;

/** Analyses the face of a picture, as far as the options require. Throws `ImageFault`. */
export async function analyseFace(
  bytes: Uint8Array,
  models: FaceModels,
  { embed = 'both', passive = true, eyes = true }: FaceOptions = {},
): Promise<FaceAnalysis> {
  const { pack } = models.embedder;
  const { raster, shrink, faces, main } = await locateFace(bytes, models.detect);
  const size = { width: raster.width * shrink, height: raster.height * shrink };
  if (!main) return { ...size, faces: 0, face: null, reasons: ['no_face'], hints: [] };
  const points = await findLandmarks(raster, main, models.landmark);
  const five = fivePoints(points);
  // Light and focus are measured at one size, whatever the pack.
  const aligned = alignFace(raster, five);
  const pose = await findPose(raster, main, points, models.pose);
  const eyesOpen = eyes ? await findEyesOpen(raster, points, models.eye) : null;
  const exposure = measureExposure(aligned);
  const embedding = await embedAs(embed, { raster, face: main, five }, models);
  const live = passive && models.passive ? await passiveLiveness(raster, main, models.passive) : null;
  const others = faces.filter((face) => face !== main);
  const face: Face = {
    box: { ...enlarged(main, shrink), confidence: main.confidence, model: modelName(FACE_MODELS.detect) },
    points: five.map(({ x, y }) => ({ x: x * shrink, y: y * shrink })) as unknown as FivePoints,
    landmarks: Float32Array.from(points.flatMap(({ x, y }) => [x * shrink, y * shrink])),
    pose: { ...pose, noseOffset: noseOffset(points), model: modelName(FACE_MODELS.pose) },
    eyesOpen: eyesOpen && { ...eyesOpen, model: modelName(FACE_MODELS.eye) },
    exposure,
    liveness: live,
    strength: embedding?.strength ?? null,
    template: embedding && newTemplate(embedding.vector, pack),
  };
  const reasons = qualityReasons({ box: main, shrink, raster, points, pose, eyes: eyesOpen, exposure, others });
  const hints = embedding ? faceHints(embedding.strength, pack.faintBelow) : [];
  return { ...size, faces: faces.length, face, reasons, hints };
}

type PlacedFace = { raster: Raster; face: FaceBox; five: FivePoints };

/** `both` becomes a single vector with a pack that gains nothing from the mirror image. */
async function embedAs(
  way: NonNullable<FaceOptions['embed']>,
  { raster, face, five }: PlacedFace,
  models: Pick<FaceModels, 'landmark' | 'embedder'>,
): Promise<Embedding | null> {
  if (way === 'none') return null;
  const { embedder } = models;
  const aligned = alignFace(raster, five, embedder.pack);
  return way === 'both' && embedder.pack.bothWays
    ? embedBothWays({ raster, face, aligned }, models)
    : embedAligned(aligned, embedder);
}

/** Does only what a comparison needs: find, align, embed. Throws `ImageFault`. */
export async function embedFace(
  bytes: Uint8Array,
  models: Pick<FaceModels, 'detect' | 'landmark' | 'embedder'>,
): Promise<FaceEmbedding> {
  const { raster, shrink, faces, main } = await locateFace(bytes, models.detect);
  if (!main) return { faces: 0, template: null, box: null };
  const five = fivePoints(await findLandmarks(raster, main, models.landmark));
  const embedding = await embedAs('both', { raster, face: main, five }, models);
  const template = embedding && newTemplate(embedding.vector, models.embedder.pack);
  return { faces: faces.length, template, box: enlarged(main, shrink) };
}

type Located = { raster: Raster; shrink: number; faces: FaceBox[]; main: FaceBox | null };

async function locateFace(bytes: Uint8Array, detect: RunModel): Promise<Located> {
  const reduced = await locateIn(await decodeWithScale(bytes, { longestSideAtLeast: LONGEST_SIDE_AT_LEAST }), detect);
  const { main, shrink } = reduced;
  if (shrink === 1 || (main && main.bottom - main.top >= DETAILED_FACE_PIXELS)) return reduced;
  return locateIn(await decodeWithScale(bytes, { longestSideAtLeast: LONGEST_SIDE_AGAIN }), detect);
}

async function locateIn(decoded: { raster: Raster; shrink: number }, detect: RunModel): Promise<Located> {
  const faces = await detectFaces(decoded.raster, detect);
  return { ...decoded, faces, main: mainFace(faces, decoded.raster) };
}

function enlarged({ left, top, right, bottom }: Box, times: number): Box {
  return { left: left * times, top: top * times, right: right * times, bottom: bottom * times };
}
