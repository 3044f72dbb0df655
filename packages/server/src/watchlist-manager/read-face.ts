import { detectImageType } from '../engines/images/detect-image-type.ts';
import type { Images } from '../engines/images/images.ts';
import { ImageRefused } from '../engines/images/refused.ts';
import type { FaceTemplates } from '../engines/vision/vision.ts';
import { ApiError } from '../kernel/errors.ts';
import type { Share } from '../kernel/fair-queue.ts';

/** A picture becomes numbers: decoded apart, looked at, and forgotten. */
export type ReadFace = (share: Share, bytes: Uint8Array, contentType?: string) => Promise<ReadTemplate>;
export type ReadTemplate = { readonly template: Buffer; readonly quality: number };

export type ReadFaceDeps = {
  images: Pick<Images, 'reencode'>;
  vision: Pick<FaceTemplates, 'faceTemplate'>;
};

const WITHIN_MS = 20_000;

/** Refuses with 100059 what is no picture, with 100102 one without a face of use, with 100010 if nobody can look now. */
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

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Undefined if it is no base64: Node would read on past whatever is none. */
export function bytesOf(base64: string): Buffer | undefined {
  return BASE64.test(base64) ? Buffer.from(base64, 'base64') : undefined;
}
