import type { Check } from '../../kernel/check.ts';

/** The door to the machine that looks at images. */
export type VisionImage = { readonly contentType: string; read(): Promise<Buffer> };

export type DocumentRequest = {
  readonly front: VisionImage;
  readonly back?: VisionImage;
  /** The types that are accepted. */
  readonly accept: readonly string[];
  readonly countryCode?: string;
  readonly documentType?: string;
};

export type BiographicField = {
  readonly fieldName: string;
  readonly values: { readonly visualZoneValue?: string; readonly mrzValue?: string; readonly barcodeValue?: string };
};

export type DocumentFindings = {
  readonly checks: readonly Check[];
  readonly documentType?: string;
  readonly countryCode?: string;
  readonly biographicData: readonly BiographicField[];
};

export type FaceRequest = {
  readonly image: VisionImage;
  readonly liveness: 'none' | 'passive' | 'active';
  /** Of an active challenge: the frames, in the order they were taken. */
  readonly frames: readonly VisionImage[];
};

export type FaceFindings = { readonly checks: readonly Check[]; readonly quality?: number };

export type Vision = {
  readDocument(request: DocumentRequest, signal: AbortSignal): Promise<DocumentFindings>;
  readFace(request: FaceRequest, signal: AbortSignal): Promise<FaceFindings>;
  matchFaces(request: { document: VisionImage; face: VisionImage }, signal: AbortSignal): Promise<Check>;
  /** Whether the face is on a list of the tenant's. */
  searchFaces(request: { list: string; face: VisionImage }, signal: AbortSignal): Promise<Check>;
  /** Whether the face is known from another instance of the tenant's. */
  findDuplicates(request: { face: VisionImage }, signal: AbortSignal): Promise<Check>;
};

/** A machine that is not there. What it did not look at it does not pass. */
export function noVision(): Vision {
  const notPerformed = (name: string, type: Check['type']): Check => ({
    ...{ name, type, status: 'NOT_PERFORMED', reason: 'engine_not_available', advice: 'final' },
  });
  return {
    readDocument: async () => ({ checks: [notPerformed('documentReading', 'document')], biographicData: [] }),
    async readFace({ liveness }) {
      const checks = [notPerformed('faceQuality', 'face')];
      return { checks: liveness === 'none' ? checks : [...checks, notPerformed('liveness', 'liveness')] };
    },
    matchFaces: async () => notPerformed('faceMatch', 'face'),
    searchFaces: async () => notPerformed('watchlist', 'watchlist'),
    findDuplicates: async () => notPerformed('duplicate', 'face'),
  };
}
