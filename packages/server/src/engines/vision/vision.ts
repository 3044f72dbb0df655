import type { Check, PictureFault } from '../../kernel/check.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { ChallengeProgress, FaceObservation, NoFace, WantedFrame } from './challenge.ts';
import { algorithmOfPack, compareFaces, type FacePackName } from './face-templates.ts';
import type { LookKind } from './look-ahead.ts';

/** The interface to the machine that analyses images. */
export type VisionImage = {
  /** Identifies these bytes, if they are stored. */
  readonly id?: string;
  /** The tenant to which the image counts when many wait. */
  readonly share?: string;
  readonly contentType: string;
  /** The hash of the sent bytes in hex, if it is known. */
  readonly sha256?: string;
  read(): Promise<Buffer>;
};

export type DocumentRequest = {
  readonly front: VisionImage;
  readonly back?: VisionImage;
  /** The types that are accepted. */
  readonly accept: readonly string[];
  /** The states whose documents are accepted, ISO 3166-1 alpha-3; any by default. */
  readonly countries?: readonly string[];
  /** The country that the end user chose, or the relying party set. */
  readonly countryCode?: string;
  /** The country that the relying party set: a document of another country is refused. */
  readonly expectedCountry?: string;
  /** The end user insists on `countryCode`. */
  readonly countryConfirmed?: boolean;
  readonly documentType?: string;
  /** Reads as much as possible, even from poor photographs. */
  readonly anyway?: boolean;
  /** Documents of invented states are accepted, for demonstrations. */
  readonly allowSpecimens?: boolean;
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
  /** The images that were cut out of the photographs: `front.cropped`, `back.cropped`, `portrait`. */
  readonly images?: readonly DerivedImage[];
  /** The photographs that should be taken again. */
  readonly pictures?: readonly PictureFault[];
  /** The marks by the name of the photograph. */
  readonly marks?: Readonly<Record<string, readonly Mark[]>>;
};

/** Something that the machine saw in a picture: its corners or points, as shares of the width and the height. */
export type Mark = {
  readonly kind: 'outline' | 'zone' | 'face' | 'landmarks';
  /** x and y in turn, from 0 to 1. */
  readonly points: readonly number[];
};

export type DerivedImage = { readonly name: string; readonly contentType: string; readonly bytes: Buffer };

export type FaceRequest = {
  readonly image: VisionImage;
  readonly liveness: 'none' | 'passive' | 'active';
  /** The progress of an active challenge: its instructions, and an observation for each frame. */
  readonly challenge?: ChallengeProgress;
  /** The frames that were stored. */
  readonly frames: readonly VisionImage[];
  /** The client's report about itself, which is not trusted. */
  readonly clientHints?: ClientHints;
};

export type MatchRequest = {
  readonly document: VisionImage;
  readonly face: VisionImage;
  readonly challenge?: ChallengeProgress;
};

/** For example the name of the camera. It may be personal data, so it is checked but never stored or shown. */
export type ClientHints = Readonly<Record<string, string | number | boolean>>;

export type FaceFindings = {
  readonly checks: readonly Check[];
  readonly quality?: number;
  readonly marks?: Readonly<Record<string, readonly Mark[]>>;
};

export type Vision = {
  readDocument(request: DocumentRequest, signal: AbortSignal): Promise<DocumentFindings>;
  readFace(request: FaceRequest, signal: AbortSignal): Promise<FaceFindings>;
  /** The document is compared with the selfie, and with the frames of its challenge if there was one. */
  matchFaces(request: MatchRequest, signal: AbortSignal): Promise<Check>;
  /** Whether the face is on a list of the tenant's. */
  searchFaces(request: { list: string; face: VisionImage; threshold: number }, signal: AbortSignal): Promise<Check>;
  /** Whether one of the document numbers or e-mail addresses is on a list of the tenant's. */
  searchValues(request: { list: string; values: readonly string[] }, signal: AbortSignal): Promise<Check>;
  /** Whether the face is known from another instance of the tenant's. */
  findDuplicates(request: { face: VisionImage; threshold: number }, signal: AbortSignal): Promise<Check>;
};

/** A face template, which the caller seals; or the reason why there is none. */
export type FaceTemplate =
  | {
      readonly template: Buffer;
      /** From 0 to 1; 0.5 is the least that can be relied on. */
      readonly quality: number;
      /** Why the picture should be taken again, such as `too_dark`. */
      readonly reasons: readonly string[];
    }
  | { readonly template: undefined; readonly reason: string };

/** The part of the machine that the keepers of faces use. */
export type FaceTemplates = {
  readonly algorithm: string;
  /** Returns a reason for a picture that cannot be analysed; throws 100010 if the machine is not available. */
  faceTemplate(image: VisionImage, signal: AbortSignal): Promise<FaceTemplate>;
  /** Throws `TemplateFault` for templates of another algorithm. */
  compareFaces(one: Uint8Array, other: Uint8Array): { score: number; match: boolean };
};

/** The machine itself. It analyses pictures; searches among stored faces are done by the keepers of faces. */
export type VisionMachine = FaceTemplates &
  Pick<Vision, 'readDocument' | 'readFace' | 'matchFaces'> & {
    /** Starts the engine, because pictures will arrive soon. */
    warm(): void;
    /** Announces an image that will be needed, so that an idle machine can analyse it ahead. */
    lookAhead(image: VisionImage & { readonly id: string; readonly bytes: number }, kind: LookKind): void;
    /** Analyses a frame of a challenge at once; undefined if there is no machine. Refuses with `ImageRefused` or 100010. */
    observeFrame(bytes: Buffer, wantedFrame: WantedFrame, share: string): Promise<FaceObservation | NoFace | undefined>;
    stop(): Promise<void>;
  };

/** Stands for a missing machine: its checks are never passed. */
export function noVision(pack: FacePackName = 'faceplugin'): VisionMachine {
  const notPerformed = (name: string, type: Check['type']): Check => ({
    name,
    type,
    status: 'NOT_PERFORMED',
    reason: 'engine_not_available',
    advice: 'final',
  });
  return {
    algorithm: algorithmOfPack(pack),
    compareFaces,
    faceTemplate: async () => ({ template: undefined, reason: 'engine_not_available' }),
    readDocument: async () => ({ checks: [notPerformed('documentReading', 'document')], biographicData: [] }),
    async readFace({ liveness }) {
      const checks = [notPerformed('faceQuality', 'face')];
      return { checks: liveness === 'none' ? checks : [...checks, notPerformed('liveness', 'liveness')] };
    },
    matchFaces: async () => notPerformed('faceMatch', 'face'),
    observeFrame: async () => undefined,
    warm: () => {},
    lookAhead: () => {},
    stop: async () => {},
  };
}

/** Stands for a machine in another process: every request is refused, so that no check passes or fails here. */
export function visionElsewhere(pack: FacePackName): VisionMachine {
  const refuse = async () => {
    throw new ApiError(100010, { detail: 'this process does not analyse images', retryAfterSeconds: 1 });
  };
  const machine = noVision(pack);
  return {
    ...machine,
    faceTemplate: refuse,
    readDocument: refuse,
    readFace: refuse,
    matchFaces: refuse,
    observeFrame: refuse,
  };
}
