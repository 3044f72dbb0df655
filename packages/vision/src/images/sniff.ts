/** The three formats that are decoded. All others are refused before a decoder sees them. */
export type ImageFormat = 'jpeg' | 'png' | 'webp';

export type Sniffed = { format: ImageFormat; animated: boolean };

/** Null if the bytes do not begin like one of the three formats. */
export function sniffImage(bytes: Uint8Array): Sniffed | null {
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return { format: 'jpeg', animated: false };
  if (startsWith(bytes, PNG_SIGNATURE)) return { format: 'png', animated: isAnimatedPng(bytes) };
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 4) === 'WEBP') {
    return { format: 'webp', animated: isAnimatedWebp(bytes) };
  }
  return null;
}

/** A known format that is not accepted, so that the caller can name it. */
export function isKnownForeignImage(bytes: Uint8Array): boolean {
  const brand = ascii(bytes, 4, 4) === 'ftyp' ? ascii(bytes, 8, 4) : '';
  if (/^(heic|heix|hevc|mif1|msf1|avif|avis)$/.test(brand)) return true;
  if (/^GIF8[79]a$/.test(ascii(bytes, 0, 6)) || ascii(bytes, 0, 2) === 'BM') return true;
  if (startsWith(bytes, [0x49, 0x49, 0x2a, 0]) || startsWith(bytes, [0x4d, 0x4d, 0, 0x2a])) return true;
  if (ascii(bytes, 0, 5) === '%PDF-' || startsWith(bytes, [0xff, 0x0a]) || ascii(bytes, 4, 4) === 'JXL ') return true;
  return /<svg[\s>]/i.test(ascii(bytes, 0, SVG_SEARCH_BYTES));
}

/** True if the container claims more bytes than there are. JPEG does not tell its length. */
export function isCutShort(bytes: Uint8Array, format: ImageFormat): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (format === 'webp') return bytes.length < 12 || view.getUint32(4, true) + 8 > bytes.length;
  if (format === 'jpeg') return false;
  for (const { kind, end } of pngChunks(bytes)) {
    if (end > bytes.length) return true;
    if (kind === 'IEND') return false;
  }
  return true;
}

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const SVG_SEARCH_BYTES = 1024;
/** A picture of 12 MB has at most a few thousand chunks; more are not read. */
const MAX_PNG_CHUNKS = 100_000;
const WEBP_ANIMATION_FLAG = 0x02;

/** `acTL` must stand before the first `IDAT`. */
function isAnimatedPng(bytes: Uint8Array): boolean {
  for (const { kind } of pngChunks(bytes)) {
    if (kind === 'acTL') return true;
    if (kind === 'IDAT') return false;
  }
  return false;
}

function* pngChunks(bytes: Uint8Array): Generator<{ kind: string; end: number }> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = PNG_SIGNATURE.length;
  for (let chunk = 0; chunk < MAX_PNG_CHUNKS && at + 8 <= bytes.length; chunk += 1) {
    const end = at + 12 + view.getUint32(at);
    yield { kind: ascii(bytes, at + 4, 4), end };
    at = end;
  }
}

function isAnimatedWebp(bytes: Uint8Array): boolean {
  return ascii(bytes, 12, 4) === 'VP8X' && ((bytes[20] ?? 0) & WEBP_ANIMATION_FLAG) !== 0;
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return bytes.length >= start.length && start.every((byte, at) => bytes[at] === byte);
}

function ascii(bytes: Uint8Array, from: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(from, from + length));
}
