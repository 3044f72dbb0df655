import { detectImageType } from '../engines/images/detect-image-type.ts';
import type { Images } from '../engines/images/images.ts';
import { ImageRefused } from '../engines/images/refused.ts';
import type { FaceTemplates } from '../engines/vision/vision.ts';
import { isBase64 } from '../kernel/base64.ts';
import { ApiError } from '../kernel/errors.ts';
import type { Share } from '../kernel/fair-queue.ts';

/** Turns an image into the template of its face. The image is not stored. */
export type ReadFace = (share: Share, bytes: Uint8Array, contentType?: string) => Promise<ReadTemplate>;
export type ReadTemplate = { readonly template: Buffer; readonly quality: number };

export type ReadFaceDeps = {
  images: Pick<Images, 'reencode'>;
  vision: Pick<FaceTemplates, 'faceTemplate'>;
};

const WITHIN_MS = 20_000;

/** Refuses with 100059 if the bytes are not an image, with 100102 without a usable face, with 100010 without a machine. */
export function faceReader({ images, vision }: ReadFaceDeps): ReadFace {
  return async (share, bytes, contentType = detectImageType(bytes)) => {
    if (contentType === undefined) throw new ImageRefused(bytes.length === 0 ? 'empty' : 'not_an_image');
    const image = await images.reencode(bytes, contentType, share);
    const result = await vision.faceTemplate(
      { contentType: image.contentType, share: share.tenant, read: async () => image.bytes },
      AbortSignal.timeout(WITHIN_MS),
    );
    if (result.template !== undefined) return { template: result.template, quality: result.quality };
    if (result.reason === 'engine_not_available') {
      throw new ApiError(100010, { detail: 'image analysis is switched off on this server', retryAfterSeconds: 60 });
    }
    throw new ApiError(100102, { detail: result.reason });
  };
}

/** Undefined if the text is not base64. */
export function bytesOf(base64: string): Buffer | undefined {
  return isBase64(base64) ? Buffer.from(base64, 'base64') : undefined;
}
