import { availableParallelism } from 'node:os';
import type { DocumentOptions, DocumentReading } from '../documents/read-document.ts';
import type { FaceAnalysis, FaceEmbedding, FaceOptions } from '../faces/analyse.ts';
import { matchTemplates, type TemplateMatch } from '../faces/match.ts';
import { DEFAULT_PACK, type FacePackName } from '../faces/packs.ts';
import type { RestPicture } from '../liveness/measure-novelty.ts';
import type { Novelty } from '../liveness/novelty.ts';
import type { FaceObservation, NoFace } from '../liveness/observation.ts';
import type { WantedFrame } from '../liveness/roles.ts';
import { openPool, type Pool, type PoolStats } from './pool.ts';
import type { WorkerOptions } from './protocol.ts';

export type VisionOptions = {
  /** By default the number of cores less one, and at least one. */
  workers?: number;
  queueLimit?: number;
  timeoutMs?: number;
  /** The resident memory that each worker may add to the process. */
  memoryPerWorkerMb?: number;
  /** The network that turns faces into vectors. */
  pack?: FacePackName;
  /** The folder of the models that no package carries. */
  weights?: string;
};

export type FaceMatch = {
  /** Null if one of the pictures shows no face. */
  readonly match: TemplateMatch | null;
  readonly one: FaceEmbedding;
  readonly other: FaceEmbedding;
};

/** The worker itself finds the face of the document. */
export type DocumentRequest = Omit<DocumentOptions, 'findFace'>;

/** All methods throw `ImageFault` for a bad picture, and `VisionFault` if the engine could not look at it. */
export type VisionEngine = {
  /** Everything, unless the options leave something out: frames of a challenge need less than a selfie. */
  analyseFace(bytes: Uint8Array, options?: FaceOptions): Promise<FaceAnalysis>;
  embedFace(bytes: Uint8Array): Promise<FaceEmbedding>;
  observeFace(bytes: Uint8Array, wantedFrame?: WantedFrame): Promise<FaceObservation | NoFace>;
  /** The novelty of a face between pictures of it at rest. Null if there are too few. */
  measureNovelty(pictures: readonly RestPicture[]): Promise<Novelty | null>;
  matchFaces(one: Uint8Array, other: Uint8Array): Promise<FaceMatch>;
  readDocument(bytes: Uint8Array, options: DocumentRequest): Promise<DocumentReading>;
  /** The same engine; each request takes a turn of this share. */
  of(share: string | undefined): VisionEngine;
  stats(): PoolStats;
  stop(): Promise<void>;
};

export const VISION_LIMITS = {
  workers: 64,
  queue: 200,
  timeoutMs: 20_000,
  graceMs: 60_000,
  heapMb: 256,
  memoryPerWorkerMb: 450,
} as const;

/** Resolves when the models are loaded and warm. The process must have enough memory for every worker. */
export async function openVision(options: VisionOptions = {}): Promise<VisionEngine> {
  const workers = Math.min(VISION_LIMITS.workers, Math.max(1, options.workers ?? availableParallelism() - 1));
  const { pack = DEFAULT_PACK.name, weights } = options;
  const workerData: WorkerOptions = { pack, ...(weights !== undefined && { weights }) };
  const residentNowMb = process.memoryUsage.rss() / (1024 * 1024);
  const pool = await openPool({
    script: new URL('./worker.ts', import.meta.url),
    workerData,
    workers,
    queueLimit: options.queueLimit ?? VISION_LIMITS.queue,
    timeoutMs: options.timeoutMs ?? VISION_LIMITS.timeoutMs,
    graceMs: VISION_LIMITS.graceMs,
    heapLimitMb: VISION_LIMITS.heapMb,
    residentLimitMb: residentNowMb + workers * (options.memoryPerWorkerMb ?? VISION_LIMITS.memoryPerWorkerMb),
  });
  return engineOver(pool, undefined);
}

function engineOver(pool: Pool, share: string | undefined): VisionEngine {
  const embedFace = async (bytes: Uint8Array) => (await pool.run('embedFace', ownBytes(bytes), share)) as FaceEmbedding;
  return {
    analyseFace: async (bytes, options) =>
      (await pool.run('analyseFace', { bytes: ownBytes(bytes), options }, share)) as FaceAnalysis,
    embedFace,
    observeFace: async (bytes, wantedFrame) =>
      (await pool.run('observeFace', { bytes: ownBytes(bytes), wantedFrame }, share)) as FaceObservation | NoFace,
    measureNovelty: async (pictures) => {
      const own = pictures.map((picture) => ({ ...picture, bytes: ownBytes(picture.bytes) }));
      return (await pool.run('measureNovelty', own, share)) as Novelty | null;
    },
    matchFaces: async (first, second) => {
      const [one, other] = await Promise.all([embedFace(first), embedFace(second)]);
      const match = one.template && other.template ? matchTemplates(one.template, other.template) : null;
      return { match, one, other };
    },
    readDocument: async (bytes, options) =>
      (await pool.run('readDocument', { bytes: ownBytes(bytes), options }, share)) as DocumentReading,
    of: (other) => engineOver(pool, other),
    stats: pool.stats,
    stop: pool.stop,
  };
}

/** Small buffers share memory with others, all of which would be sent to the worker. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
