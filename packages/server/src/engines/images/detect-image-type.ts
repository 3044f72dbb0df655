/** Detects the type by the first bytes. What a client claims is compared with this, never believed. */
export type ImageType = 'image/jpeg' | 'image/png' | 'image/webp';
/** A PDF is not an image. Only callers that ask for the first page of one accept it. */
export const PDF_TYPE = 'application/pdf';
export type DecodedType = ImageType | typeof PDF_TYPE;

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);

const PDF = Buffer.from('%PDF-');

/** Readers find a PDF behind other bytes too, and such a file could be two things at once. */
export function isPdf(bytes: Uint8Array): boolean {
  return PDF.equals(bytes.subarray(0, PDF.length));
}

export function detectImageType(bytes: Uint8Array): ImageType | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 12));
  if (head.subarray(0, JPEG.length).equals(JPEG)) return 'image/jpeg';
  if (head.subarray(0, PNG.length).equals(PNG)) return 'image/png';
  const isRiff = head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP';
  return isRiff ? 'image/webp' : undefined;
}
