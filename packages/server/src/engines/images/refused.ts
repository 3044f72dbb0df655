import { ApiError } from '../../kernel/errors.ts';
import { MAX_PIXELS } from './limits.ts';

/** The reasons why an image cannot be used. The words are for programs, the sentences for whoever took the picture. */
const SENTENCES = {
  empty: 'it is empty',
  not_an_image: 'it is not a JPEG, PNG or WebP image',
  another_type: 'it is another type of image than it says',
  too_large: 'it has too many bytes',
  too_many_pixels: `it has more than ${MAX_PIXELS / 1_000_000} megapixels`,
  animated: 'it has more than one frame',
  truncated: 'its end is missing',
  not_a_pdf: 'it is not a PDF that can be read',
  encrypted: 'it is protected by a password',
  no_pages: 'it has no page',
  page_size: 'its first page is of no size that a document has',
  too_slow: 'it takes too long to read',
  broke: 'it could not be read',
} as const;

export type Reason = keyof typeof SENTENCES;

export class ImageRefused extends ApiError {
  readonly reason: Reason;

  constructor(reason: Reason, { detail = SENTENCES[reason], cause }: { detail?: string; cause?: unknown } = {}) {
    super(100059, { detail, cause });
    this.name = 'ImageRefused';
    this.reason = reason;
  }
}

export function isReason(word: unknown): word is Reason {
  return typeof word === 'string' && Object.hasOwn(SENTENCES, word);
}
