export type ImageFaultReason =
  | 'empty'
  | 'not_an_image'
  | 'unsupported_format'
  | 'too_many_bytes'
  | 'too_large'
  | 'too_small'
  | 'animated'
  | 'truncated'
  | 'corrupt';

/** The bytes are not a supported picture. The reason is for the caller; the decoder's message is the cause. */
export class ImageFault extends Error {
  readonly reason: ImageFaultReason;

  constructor(reason: ImageFaultReason, cause?: unknown) {
    super(`The image was refused: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = 'ImageFault';
    this.reason = reason;
  }
}
