import { detectImageType } from '../../engines/images/detect-image-type.ts';
import type { Images } from '../../engines/images/images.ts';
import { ImageRefused } from '../../engines/images/refused.ts';
import type { FaceTemplates, VisionImage } from '../../engines/vision/vision.ts';
import type { Environment } from '../../kernel/environment.ts';
import { invalidInput } from '../../kernel/errors.ts';
import type { Share } from '../../kernel/fair-queue.ts';
import type { PresentedFace } from '../../process-manager/engine/steps/identity-acts.ts';
import { compareStandIns, isStandIn, SANDBOX_ALGORITHM, standInTemplate } from './sandbox-faces.ts';

export type PresentFace = {
  /** `data` is the base64 image of an API request. */
  ofData(data: string, environment: Environment, share: Share): Promise<PresentedFace>;
  /** `image` is the image of a journey, which was re-encoded at upload. */
  ofImage(image: VisionImage, environment: Environment, signal: AbortSignal): Promise<PresentedFace>;
  /** Returns a score from 0 to 1. Throws if the templates cannot be compared. */
  compare(algorithm: string, stored: Uint8Array, presented: Uint8Array): number;
};

export type PresentFaceDeps = { faces: FaceTemplates; images: Pick<Images, 'reencode'> };

/** Long enough for an engine that must be started first. */
const LOOK_WITHIN_MS = 60_000;

export function facePresenter({ faces, images }: PresentFaceDeps): PresentFace {
  const ofImage: PresentFace['ofImage'] = async (image, environment, signal) => {
    if (environment === 'test' && image.contentType === 'application/json') {
      return withAlgorithm(SANDBOX_ALGORITHM, standInTemplate(await image.read()));
    }
    return withAlgorithm(faces.algorithm, await faces.faceTemplate(image, signal));
  };
  return {
    ofImage,
    async ofData(data, environment, share) {
      const bytes = decodeBase64(data);
      const signal = AbortSignal.timeout(LOOK_WITHIN_MS);
      if (environment === 'test' && isStandIn(bytes)) {
        return ofImage({ contentType: 'application/json', read: async () => bytes }, environment, signal);
      }
      const type = detectImageType(bytes);
      if (!type) return { reason: 'not_an_image' };
      try {
        const harmless = await images.reencode(bytes, type, share);
        return await ofImage(
          { ...harmless, share: share.tenant, read: async () => harmless.bytes },
          environment,
          signal,
        );
      } catch (error) {
        if (error instanceof ImageRefused) return { reason: error.reason };
        throw error;
      }
    },
    compare: (algorithm, stored, presented) =>
      algorithm === SANDBOX_ALGORITHM
        ? compareStandIns(stored, presented)
        : faces.compareFaces(stored, presented).score,
  };
}

function withAlgorithm(algorithm: string, result: Awaited<ReturnType<FaceTemplates['faceTemplate']>>): PresentedFace {
  if (result.template === undefined) return { reason: result.reason };
  return { template: result.template, algorithm, quality: result.quality, reasons: result.reasons };
}

/** Node's decoder skips characters that are not base64. The decoded length shows whether it skipped any. */
function decodeBase64(data: string): Buffer {
  const bytes = Buffer.from(data, 'base64');
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  if (bytes.length === Math.floor(((data.length - padding) * 3) / 4)) return bytes;
  throw invalidInput({ pointer: '/data', message: 'must be base64' });
}
