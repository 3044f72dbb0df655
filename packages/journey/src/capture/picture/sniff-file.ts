export type FileKind = 'jpeg' | 'png' | 'webp' | 'heic' | 'pdf' | 'tiff' | 'gif' | 'svg' | 'other';

/** The number of bytes that are needed to recognise a type. */
export const SNIFFED_BYTES = 64;

/** Recognises the type of a file by its content, because its name can be anything. */
export function sniffFile(bytes: Uint8Array): FileKind {
  const text = String.fromCharCode(...bytes.subarray(0, SNIFFED_BYTES));
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'jpeg';
  if (text.startsWith('\u0089PNG\r\n\u001a\n')) return 'png';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'webp';
  if (text.slice(4, 8) === 'ftyp' && /^(heic|heix|hevc|mif1|msf1|heim|heis|avif)/.test(text.slice(8, 12)))
    return 'heic';
  if (text.startsWith('%PDF')) return 'pdf';
  if (text.startsWith('II*\0') || text.startsWith('MM\0*')) return 'tiff';
  if (text.startsWith('GIF8')) return 'gif';
  if (/^\s*<(\?xml|svg)/.test(text)) return 'svg';
  return 'other';
}
